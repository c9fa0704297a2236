// Lets Node, and with it npm, believe that it runs on another machine: PRETENDED=darwin-arm64 node --require ...
const [platform, arch] = process.env.PRETENDED.split("-");
Object.defineProperty(process, "platform", { value: platform });
Object.defineProperty(process, "arch", { value: arch });
