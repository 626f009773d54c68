package transfer_test

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/transfer"
	"github.com/erphub/erphub/dict/values"
)

// book is a workbook by its parts, where they differ from those of a plain one.
type book map[string]string

const (
	workbookPart = "xl/workbook.xml"
	relsPart     = "xl/_rels/workbook.xml.rels"
	sheetPart    = "xl/worksheets/sheet1.xml"
	sharedPart   = "xl/sharedStrings.xml"
	stylesPart   = "xl/styles.xml"
)

// plain are the parts of a workbook with the worksheets People and Other.
func plain() book {
	return book{
		workbookPart: `<workbook xmlns:r="x"><workbookPr/><sheets><sheet name="People" sheetId="1" r:id="rId1"/><sheet name="Other" sheetId="2" r:id="rId2"/></sheets></workbook>`,
		relsPart:     `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="/xl/worksheets/sheet2.xml"/></Relationships>`,
		sharedPart: `<sst><si><t>Value</t></si><si><t>Name</t></si><si><r><t>Rich </t></r><r><t xml:space="preserve">text</t></r><rPh><t>no</t></rPh></si>` +
			`<si><t>a_x000D_&#10;b</t></si></sst>`,
		stylesPart: `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/><numFmt numFmtId="165" formatCode="0.00&quot; days&quot;"/></numFmts>` +
			`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="20"/></cellXfs></styleSheet>`,
		sheetPart:                  sheet(`<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="3"><c r="A3"><v>5</v></c><c r="B3" t="s"><v>2</v></c></row>`),
		"xl/worksheets/sheet2.xml": sheet(`<row><c t="inlineStr"><is><t>Only</t></is></c></row><row><c t="str"><v>x</v></c></row>`),
	}
}

func sheet(rows string) string {
	return `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`
}

// write makes a file of the parts.
func (b book) write(t testing.TB) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, text := range b {
		if text == "" {
			continue
		}
		f, err := z.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(f, text)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	path := filepath.Join(t.TempDir(), "book.xlsx")
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
	return path
}

func TestReadWorkbook(t *testing.T) {
	t.Parallel()
	path := plain().write(t)
	names, rows, err := readAll(transfer.Workbook{Path: path})
	require.NoError(t, err)
	assert.Equal(t, []string{"Value", "Name"}, names)
	require.Len(t, rows, 1)
	assert.Equal(t, 3, rows[0].Line)
	assert.Equal(t, []values.Cell{{Kind: values.Number, Text: "5"}, {Text: "Rich text"}}, rows[0].Cells)
	names, rows, err = readAll(transfer.Workbook{Path: path, Sheet: "other"})
	require.NoError(t, err)
	assert.Equal(t, []string{"Only"}, names)
	assert.Equal(t, []values.Cell{{Text: "x"}}, rows[0].Cells)
}

func TestCellsOfWorkbooks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, cell string
		want       values.Cell
	}{
		{"number", `<c r="A2"><v>1.1000000000000001</v></c>`, values.Cell{Kind: values.Number, Text: "1.1"}},
		{"large number", `<c r="A2"><v>1E+15</v></c>`, values.Cell{Kind: values.Number, Text: "1000000000000000"}},
		{"no number", `<c r="A2"><v>x</v></c>`, values.Cell{Kind: values.Fault, Text: "x"}},
		{"yes", `<c r="A2" t="b"><v>1</v></c>`, values.Cell{Kind: values.Bool, Text: "true"}},
		{"line break", `<c r="A2" t="s"><v>3</v></c>`, values.Cell{Text: "a\r\nb"}},
		{"day", `<c r="A2" s="1"><v>46090</v></c>`, values.Cell{Kind: values.Date, Text: "2026-03-09"}},
		{"day of an own format", `<c r="A2" s="2"><v>46090</v></c>`, values.Cell{Kind: values.Date, Text: "2026-03-09"}},
		{"letters in quotes are no date", `<c r="A2" s="3"><v>46090</v></c>`, values.Cell{Kind: values.Number, Text: "46090"}},
		{"day as text", `<c r="A2" t="d"><v>1990-02-28T00:00:00.000Z</v></c>`, values.Cell{Kind: values.Date, Text: "1990-02-28"}},
		{"moment as text", `<c r="A2" t="d"><v>1990-02-28T10:11:12.345Z</v></c>`, values.Cell{Kind: values.Date, Text: "1990-02-28T10:11:12"}},
		{"no date as text", `<c r="A2" t="d"><v>soon</v></c>`, values.Cell{Kind: values.Date, Text: "soon"}},
		{"day and time", `<c r="A2" s="1"><v>46090.75</v></c>`, values.Cell{Kind: values.Date, Text: "2026-03-09T18:00:00"}},
		{"time", `<c r="A2" s="4"><v>0.5</v></c>`, values.Cell{Text: "12:00:00"}},
		{"before the leap day that never was", `<c r="A2" s="1"><v>59</v></c>`, values.Cell{Kind: values.Date, Text: "1900-02-28"}},
		{"that day", `<c r="A2" s="1"><v>60</v></c>`, values.Cell{Kind: values.Fault, Text: "60 as a date"}},
		{"after it", `<c r="A2" s="1"><v>61</v></c>`, values.Cell{Kind: values.Date, Text: "1900-03-01"}},
		{"negative day", `<c r="A2" s="1"><v>-1</v></c>`, values.Cell{Kind: values.Fault, Text: "-1 as a date"}},
		{"error", `<c r="A2" t="e"><f>1/0</f><v>#DIV/0!</v></c>`, values.Cell{Kind: values.Fault, Text: "#DIV/0!"}},
		{"formula", `<c r="A2"><f>1+1</f><v>2</v></c>`, values.Cell{Kind: values.Number, Text: "2"}},
		{"formula never computed", `<c r="A2"><f>1+1</f></c>`, values.Cell{Kind: values.Fault, Text: "a formula without a saved value"}},
	} {
		b := plain()
		b[sheetPart] = sheet(`<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2">` + tt.cell + `</row>`)
		_, rows, err := readAll(transfer.Workbook{Path: b.write(t)})
		require.NoError(t, err, tt.name)
		require.Len(t, rows, 1, tt.name)
		assert.Equal(t, tt.want, rows[0].Cells[0], tt.name)
	}
	b := plain()
	b[workbookPart] = strings.Replace(b[workbookPart], "<workbookPr/>", `<workbookPr date1904="1"/>`, 1)
	b[sheetPart] = sheet(`<row><c t="s"><v>0</v></c></row><row><c s="1"><v>44628</v></c></row>`)
	_, rows, err := readAll(transfer.Workbook{Path: b.write(t)})
	require.NoError(t, err)
	assert.Equal(t, "2026-03-09", rows[0].Cells[0].Text)
}

// Workbooks that cannot be read are refused with what to do.
func TestBadWorkbooks(t *testing.T) {
	t.Parallel()
	head := `<row r="1"><c r="A1" t="s"><v>0</v></c></row>`
	for _, tt := range []struct {
		name  string
		parts book
		sheet string
		want  string
	}{
		{"no worksheet", book{workbookPart: `<workbook><sheets/></workbook>`}, "", "has no worksheet"},
		{"unknown worksheet", nil, "Peple", "did you mean People"},
		{"missing part", book{sheetPart: ""}, "", "has no part xl/worksheets/sheet1.xml"},
		{"no relations", book{relsPart: `<Relationships/>`}, "", "does not say where"},
		{"empty worksheet", book{sheetPart: sheet("")}, "", "the worksheet is empty"},
		{"no shared text of that number", book{sheetPart: sheet(head + `<row r="2"><c r="A2" t="s"><v>99</v></c></row>`)}, "", `the shared text "99"`},
		{"merged cells", book{sheetPart: `<worksheet><sheetData>` + head + `<row r="2"><c r="A2"><v>1</v></c></row></sheetData><mergeCells><mergeCell ref="A2:A5"/></mergeCells></worksheet>`}, "", "the cells A2:A5 are merged"},
		{"value without a heading", book{sheetPart: sheet(head + `<row r="2"><c r="C2"><v>1</v></c></row>`)}, "", "row: column C has a value and no heading"},
		{"cut short", book{sheetPart: `<worksheet><sheetData>` + head}, "", "ends in the middle"},
		{"cut inside of a row", book{sheetPart: `<worksheet><sheetData>` + head + `<row r="2"><c r="A2"><v>`}, "", "damaged"},
		{"no XML", book{sheetPart: `<worksheet><sheetData><row <`}, "", "damaged"},
		{"no cell", book{sheetPart: sheet(head + `<row r="2"><c r="5A"/></row>`)}, "", `a cell at "5A"`},
		{"far away", book{sheetPart: sheet(head + `<row r="2"><c r="ZZZ2"><v>1</v></c></row>`)}, "", "more than 2000 columns"},
		{"another character set", book{sheetPart: `<?xml version="1.0" encoding="latin1"?>` + sheet(head)}, "", "character set latin1"},
		{"bomb of shared texts", book{sharedPart: `<sst><si><t>` + strings.Repeat("0", 70<<20)}, "", "has 70 MiB when it is unpacked"},
		{"bomb in a cell", book{sheetPart: sheet(head + `<row r="2"><c r="A2" t="str"><v>` + strings.Repeat("x", 2<<20) + `</v></c></row>`)}, "", "longer than 1 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := plain()
			for name, text := range tt.parts {
				b[name] = text
			}
			_, rows, err := readAll(transfer.Workbook{Path: b.write(t), Sheet: tt.sheet})
			if row, ok := strings.CutPrefix(tt.want, "row: "); ok {
				require.NoError(t, err)
				require.ErrorContains(t, rows[0].Err, row)
				return
			}
			require.ErrorIs(t, err, transfer.ErrFile)
			require.ErrorContains(t, err, tt.want)
		})
	}
	for name, content := range map[string]string{"no archive": "Value,Name\n", "empty": "", "cut short": "PK\x03\x04xxxx"} {
		path := filepath.Join(t.TempDir(), "x.xlsx")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, _, err := readAll(transfer.Workbook{Path: path})
		require.ErrorIs(t, err, transfer.ErrFile, name)
	}
}

// What was written is what is read.
func FuzzWriteWorkbook(f *testing.F) {
	for _, s := range []string{"plain", "", " two ", "=1+1", "a\r\nb\tc", "_x0041_x0042_", "_x0041\x11x0041_", "\x01\x1f", "\ufffe\uffff", "<&>\"'", "😀", "_x005F_", "_"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) || len(s) > 30_000 {
			t.Skip()
		}
		path := filepath.Join(t.TempDir(), "w.xlsx")
		out, err := os.Create(path)
		require.NoError(t, err)
		w, err := transfer.NewWorkbookWriter(out, s)
		require.NoError(t, err)
		require.NoError(t, w.Header([]string{"A", "B"}))
		require.NoError(t, w.Row([]values.Cell{{Text: s}, {Kind: values.Number, Text: "5"}}))
		require.NoError(t, w.Close())
		require.NoError(t, out.Close())
		_, rows, err := readAll(transfer.Workbook{Path: path})
		require.NoError(t, err)
		require.Len(t, rows, 1)
		assert.Equal(t, s, rows[0].Cells[0].Text)
	})
}

// Whatever is in the parts, reading ends with rows or with an error about the file.
func FuzzReadWorkbook(f *testing.F) {
	p := plain()
	f.Add(p[sheetPart], p[sharedPart], p[stylesPart], p[workbookPart])
	f.Add(sheet(`<row r="0"><c r="A1" t="d"><v>2026-03-09T00:00:00</v></c></row>`), "<sst>", "<styleSheet>", "<workbook>")
	f.Fuzz(func(t *testing.T, sheet, shared, styles, workbook string) {
		b := plain()
		b[sheetPart], b[sharedPart], b[stylesPart], b[workbookPart] = sheet, shared, styles, workbook
		if _, _, err := readAll(transfer.Workbook{Path: b.write(t)}); err != nil {
			require.ErrorIs(t, err, transfer.ErrFile)
		}
	})
}

// Days are written as days, which spreadsheets sort and group; those before all
// spreadsheets count alike, and what is not a day, are texts.
func TestWorkbookOfDays(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w, err := transfer.NewWorkbookWriter(&out, "Days")
	require.NoError(t, err)
	require.NoError(t, w.Header([]string{"Day"}))
	texts := []string{"1900-02-28", "1900-03-01", "2024-02-29", "9999-12-31", "soon"}
	for _, text := range texts {
		require.NoError(t, w.Row([]values.Cell{{Kind: values.Date, Text: text}}))
	}
	require.NoError(t, w.Close())
	path := filepath.Join(t.TempDir(), "days.xlsx")
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
	_, rows, err := readAll(transfer.Workbook{Path: path})
	require.NoError(t, err)
	require.Len(t, rows, len(texts))
	for i, row := range rows {
		want := values.Cell{Kind: values.Date, Text: texts[i]}
		if i == 0 || i == len(texts)-1 {
			want.Kind = values.Text
		}
		assert.Equal(t, want, row.Cells[0])
	}
}
