package main

import (
	"strings"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// pagesURL is where the files of a version can be read.
const pagesURL = "https://github.com/erphub/erphub"

var relativeLink = lazyregexp.New(`(!?)(\[[^\]\n]*\])\(([^)\s]+)\)`)

// absoluteLinks makes links of a page of the repository lead to the forge, because an
// archive has that page and not what it links to.
func absoluteLinks(text []byte, version string) []byte {
	return relativeLink().ReplaceAllFunc(text, func(link []byte) []byte {
		m := relativeLink().FindSubmatch(link)
		target := string(m[3])
		if strings.Contains(target, "://") || strings.HasPrefix(target, "#") || strings.HasPrefix(target, "mailto:") {
			return link
		}
		kind := "blob"
		if len(m[1]) > 0 { // a picture
			kind = "raw"
		}
		return []byte(string(m[1]) + string(m[2]) + "(" + pagesURL + "/" + kind + "/" + version + "/" + target + ")")
	})
}
