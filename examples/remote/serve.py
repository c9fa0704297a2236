#!/usr/bin/env python3
"""A small web server of one folder that knows Range, for the loopback: serve.py FOLDER [PORT].

Python's own server does not know Range. Servers that one would use do: nginx, Apache, object stores.
"""
import email.utils
import functools
import http.server
import os
import re
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # which keeps connections
    disable_nagle_algorithm = True  # lest a short body wait for the answer to its header

    def send_head(self):
        """The file, at the place where the answer begins, after the header was sent; or None."""
        self.left = None
        path = self.translate_path(self.path)
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if wanted is None or not os.path.isfile(path):
            return super().send_head()
        file = open(path, "rb")
        status = os.fstat(file.fileno())
        begin = int(wanted[1])
        end = min(int(wanted[2] or status.st_size) + 1, status.st_size)
        self.send_response(206 if begin < end else 416)
        self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{status.st_size}" if begin < end
                         else f"bytes */{status.st_size}")
        self.send_header("Content-Length", str(max(end - begin, 0)))
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("ETag", f'"{status.st_mtime_ns:x}-{status.st_size:x}"')
        self.send_header("Last-Modified", email.utils.formatdate(status.st_mtime, usegmt=True))
        self.end_headers()
        file.seek(begin)
        self.left = max(end - begin, 0)
        return file

    def copyfile(self, source, outputfile):
        left = self.left
        if left is None:
            return super().copyfile(source, outputfile)
        while left > 0 and (chunk := source.read(min(left, 1 << 16))):
            outputfile.write(chunk)
            left -= len(chunk)
        return None

    def end_headers(self):
        self.send_header("Access-Control-Allow-Origin", "*")  # pages of other origins may ask, too
        self.send_header("Access-Control-Expose-Headers", "Content-Range, ETag")
        super().end_headers()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # of one that went
            super().handle_error(request, client_address)


def serve(folder, port=0):
    """A server that is not yet running; port 0 takes a free one."""
    return Server(("127.0.0.1", port), functools.partial(Handler, directory=folder))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or not os.path.isdir(sys.argv[1]):
        sys.exit("usage: serve.py FOLDER [PORT]")
    with serve(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 8000) as server:
        print(f"http://127.0.0.1:{server.server_port}/", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass
