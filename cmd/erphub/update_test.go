package main

import "flag"

var update = flag.Bool("update", false, "write the files that tests compare with anew")
