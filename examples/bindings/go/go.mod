module crivo.example

go 1.19
