package main

import (
	"bytes"
	"fmt"
)

// partners is a file with n business partners, two of which cannot be imported.
func partners(n int) []byte {
	var b bytes.Buffer
	b.WriteString("Search Key,Name,C_BP_Group_ID,SO_CreditLimit\n")
	for i := 1; i <= n; i++ {
		limit, group := "500", "Standard"
		switch i {
		case 70:
			limit = "a lot"
		case 210:
			group = "Standart"
		}
		fmt.Fprintf(&b, "B%03d,Garden shop %d,%s,%s\n", i, i, group, limit)
	}
	return b.Bytes()
}
