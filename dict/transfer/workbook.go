package transfer

import (
	"archive/zip"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/erphub/erphub/internal/nearest"
)

// Bounds of what is unpacked and held.
const (
	maxPart    = 1 << 30   // bytes of one part, unpacked
	maxShared  = 256 << 20 // bytes of the texts that cells share
	maxSmall   = 16 << 20  // bytes of the parts that say what is where
	mostPacked = 200       // bytes that one packed byte may become, of large parts
	largePart  = 64 << 20
	maxToken   = 1 << 20 // bytes of a cell's text
)

// Workbook is a worksheet of a workbook (.xlsx) on disk. It is an [Input].
type Workbook struct {
	Path  string
	Sheet string // its name; empty: the first
	// Called is the name in messages; empty: Path.
	Called string
}

// Name implements [Input].
func (f Workbook) Name() string {
	return cmp.Or(f.Called, f.Path)
}

// Digest implements [Input].
func (f Workbook) Digest() (string, error) { return DigestOf(f.Path) }

// Open implements [Input].
func (f Workbook) Open() (Reader, error) {
	in, err := OpenRegular(f.Path)
	if err != nil {
		return nil, err
	}
	info, err := in.Stat()
	var r Reader
	if err == nil {
		r, err = openWorkbook(in, info.Size(), in, f.Sheet)
	}
	if err != nil {
		_ = in.Close() // it is read only
		return nil, err
	}
	return r, nil
}

// workbook is what is known of a workbook before its cells are read.
type workbook struct {
	parts  map[string]*zip.File
	shared []string
	dates  []bool // by style: whether numbers are dates
	from04 bool   // dates count from 1904
}

func openWorkbook(in io.ReaderAt, size int64, closer io.Closer, sheet string) (Reader, error) {
	z, err := zip.NewReader(in, size)
	if err != nil {
		return nil, wrongFile(0, "it is not a workbook of the kind .xlsx (%v); was it cut short, or only renamed?", err)
	}
	w := &workbook{parts: map[string]*zip.File{}}
	for _, f := range z.File {
		w.parts[strings.ToLower(strings.TrimPrefix(f.Name, "/"))] = f
	}
	target, err := w.sheet(sheet)
	if err == nil {
		err = w.sharedStrings()
	}
	if err == nil {
		err = w.styles()
	}
	if err != nil {
		return nil, err
	}
	part, err := w.part(target, maxPart)
	if err != nil {
		return nil, err
	}
	return &sheetReader{w: w, part: part, closer: closer, dec: decoder(part)}, nil
}

// part opens a part of the archive.
func (w *workbook) part(name string, most int64) (io.ReadCloser, error) {
	f := w.parts[strings.ToLower(name)]
	if f == nil {
		return nil, wrongFile(0, "the workbook has no part %s; save it again in a spreadsheet", name)
	}
	size, packed := f.UncompressedSize64, max(f.CompressedSize64, 1)
	if size > uint64(most) || size > largePart && size/packed > mostPacked {
		return nil, wrongFile(0, "the part %s of the workbook has %d MiB when it is unpacked, which is too much; save it as CSV UTF-8", name, size>>20)
	}
	in, err := f.Open()
	if err != nil {
		return nil, wrongFile(0, "the part %s of the workbook cannot be unpacked: %v", name, err)
	}
	return &bounded{in: in, left: most, name: name}, nil
}

// bounded refuses a part that is larger than it may be, or has a text without end.
type bounded struct {
	in    io.ReadCloser
	left  int64
	token int // bytes since the last <
	name  string
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, wrongFile(0, "the part %s of the workbook is too large; save it as CSV UTF-8", b.name)
	}
	for _, c := range p[:n] {
		if b.token++; c == '<' {
			b.token = 0
		} else if b.token > maxToken {
			return 0, wrongFile(0, "a text in the part %s of the workbook is longer than %d MiB", b.name, maxToken>>20)
		}
	}
	if errors.Is(err, zip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = wrongFile(0, "the part %s of the workbook is damaged: %v", b.name, err)
	}
	return n, err
}

func (b *bounded) Close() error { return b.in.Close() }

func decoder(in io.Reader) *xml.Decoder {
	d := xml.NewDecoder(in)
	d.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		return nil, wrongFile(0, "the workbook is written in the character set %s instead of UTF-8", charset)
	}
	return d
}

// elements calls begin for the start of each element of a part, and text for what is
// between them.
func (w *workbook) elements(name string, most int64, begin func(xml.StartElement) error, text func(xml.CharData) error, end func(string)) error {
	part, err := w.part(name, most)
	if err != nil {
		return err
	}
	defer part.Close()
	dec := decoder(part)
	for {
		token, err := dec.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return notXML(name, err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = begin(t)
		case xml.EndElement:
			if end != nil {
				end(t.Name.Local)
			}
		case xml.CharData:
			if text != nil {
				err = text(t)
			}
		}
		if err != nil {
			return err
		}
	}
}

func notXML(name string, err error) error {
	var file *FileError
	if errors.As(err, &file) {
		return err
	}
	return wrongFile(0, "the part %s of the workbook is damaged: %v", name, err)
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// sheet finds the part of a worksheet.
func (w *workbook) sheet(name string) (string, error) {
	const book = "xl/workbook.xml"
	var names, ids []string
	err := w.elements(book, maxSmall, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "sheet":
			id := ""
			for _, a := range e.Attr {
				if a.Name.Local == "id" && a.Name.Space != "" { // r:id
					id = a.Value
				}
			}
			names, ids = append(names, attribute(e, "name")), append(ids, id)
		case "workbookPr":
			v := attribute(e, "date1904")
			w.from04 = v == "1" || v == "true"
		}
		return nil
	}, nil, nil)
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", wrongFile(0, "the workbook has no worksheet")
	}
	at := 0
	if name != "" {
		if at = indexFold(names, name); at < 0 {
			hint := strings.Join(names[:min(len(names), 10)], ", ")
			if near := nearest.Name(name, names); near != "" {
				hint = "did you mean " + near
			}
			return "", wrongFile(0, "the workbook has no worksheet %q; %s", name, hint)
		}
	}
	target := ""
	err = w.elements("xl/_rels/workbook.xml.rels", maxSmall, func(e xml.StartElement) error {
		if e.Name.Local == "Relationship" && attribute(e, "Id") == ids[at] {
			target = attribute(e, "Target")
		}
		return nil
	}, nil, nil)
	if err != nil {
		return "", err
	}
	if target == "" {
		return "", wrongFile(0, "the workbook does not say where its worksheet %q is; save it again in a spreadsheet", names[at])
	}
	if strings.HasPrefix(target, "/") {
		return strings.TrimPrefix(path.Clean(target), "/"), nil
	}
	return path.Join("xl", target), nil
}

func indexFold(names []string, name string) int {
	for i, n := range names {
		if strings.EqualFold(n, name) {
			return i
		}
	}
	return -1
}

// sharedStrings reads the texts that cells share; a workbook may have none.
func (w *workbook) sharedStrings() error {
	const name = "xl/sharedStrings.xml"
	if w.parts[strings.ToLower(name)] == nil {
		return nil
	}
	var b strings.Builder
	size := 0
	inText, phonetic := false, false
	return w.elements(name, maxPart, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "t":
			inText = !phonetic
		case "rPh":
			phonetic = true
		}
		return nil
	}, func(text xml.CharData) error {
		if !inText {
			return nil
		}
		if size += len(text); size > maxShared {
			return wrongFile(0, "the workbook has more than %d MiB of text; save it as CSV UTF-8", maxShared>>20)
		}
		b.Write(text)
		return nil
	}, func(end string) {
		switch end {
		case "t":
			inText = false
		case "rPh":
			phonetic = false
		case "si":
			w.shared = append(w.shared, unescape(b.String()))
			size += 16
			b.Reset()
		}
	})
}

// styles reads which formats show numbers as dates.
func (w *workbook) styles() error {
	const name = "xl/styles.xml"
	if w.parts[name] == nil {
		return nil
	}
	custom := map[string]bool{}
	inCells := false
	return w.elements(name, maxSmall, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			custom[attribute(e, "numFmtId")] = dateFormat(attribute(e, "formatCode"))
		case "cellXfs":
			inCells = true
		case "xf":
			if inCells {
				id := attribute(e, "numFmtId")
				isDate, own := custom[id]
				if !own {
					n, _ := strconv.Atoi(id)
					isDate = n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58
				}
				w.dates = append(w.dates, isDate)
			}
		}
		return nil
	}, nil, func(end string) {
		if end == "cellXfs" {
			inCells = false
		}
	})
}

// dateFormat reports whether a number format shows dates or times: it has one of
// their letters outside of quotes and brackets.
func dateFormat(code string) bool {
	quoted, bracket := false, false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '\\' || c == '_' || c == '*':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		case bracket:
		case strings.IndexByte("dmyhsDMYHS", c) >= 0:
			return !strings.HasPrefix(strings.ToLower(code), "general")
		}
	}
	return false
}
