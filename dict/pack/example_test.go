package pack_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"log"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/pack"
)

func ExampleWrite() {
	plan, err := dict.NewPlan(nil, dict.NewTable("XX_Remark").With(dict.Standard).Column(dict.Column{Name: "XX_Text", Type: dict.TypeText}))
	if err != nil {
		log.Fatal(err)
	}
	var archive bytes.Buffer
	if err := pack.Write(&archive, plan, &pack.Options{Name: "com.example.remarks", Version: pack.Version{Major: 1}}); err != nil {
		log.Fatal(err)
	}
	files, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range files.File {
		fmt.Println(f.Name)
	}
	// Output:
	// 2Pack_1.0.0/
	// 2Pack_1.0.0/dict/
	// 2Pack_1.0.0/dict/PackOut.xml
	// 2Pack_1.0.0/doc/
	// 2Pack_1.0.0/doc/com.example.remarksDoc.xml
}
