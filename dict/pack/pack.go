package pack

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/erphub/erphub/dict"
)

// Write writes the plan as a package archive. Nothing is written when the plan
// cannot be said in one: the error then is an [*UnresolvedError] when something
// outside the plan is not known, or names the step. Nil options mean the
// defaults.
func Write(w io.Writer, plan *dict.Plan, opts *Options) error {
	data, err := build(plan, opts)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("writing the package archive: %w", err)
	}
	return nil
}

// XML is the PackOut.xml of the plan's archive, for previews.
func XML(plan *dict.Plan, opts *Options) ([]byte, error) {
	o, err := opts.withDefaults(plan)
	if err != nil {
		return nil, fmt.Errorf("package of plan %q: %w", plan.Name(), err)
	}
	return records(plan, &o)
}

func records(plan *dict.Plan, o *Options) ([]byte, error) {
	roots, err := compose(plan, *o)
	if err == nil {
		var data []byte
		if data, err = packOut(o, roots); err == nil {
			if problems := CheckXML(data); len(problems) > 0 {
				err = errors.Join(problemErrors(problems)...)
			} else {
				return data, nil
			}
		}
	}
	return nil, fmt.Errorf("package of plan %q: %w", plan.Name(), err)
}

func build(plan *dict.Plan, opts *Options) ([]byte, error) {
	o, err := opts.withDefaults(plan)
	if err != nil {
		return nil, fmt.Errorf("package of plan %q: %w", plan.Name(), err)
	}
	content, err := records(plan, &o)
	if err != nil {
		return nil, err
	}
	people, err := sheet(&o)
	if err != nil {
		return nil, fmt.Errorf("package of plan %q: %w", plan.Name(), err)
	}
	var b bytes.Buffer
	zw := zip.NewWriter(&b)
	for _, f := range []struct {
		name string
		data []byte
	}{
		{o.top() + "/", nil},
		{o.top() + "/dict/", nil},
		{o.top() + "/dict/PackOut.xml", content},
		{o.top() + "/doc/", nil},
		{o.top() + "/doc/" + o.Name + "Doc.xml", people},
	} {
		if err := store(zw, f.name, f.data); err != nil {
			return nil, fmt.Errorf("package of plan %q: %w", plan.Name(), err)
		}
	}
	if err := zw.Close(); err != nil {
		return nil, fmt.Errorf("package of plan %q: %w", plan.Name(), err)
	}
	return b.Bytes(), nil
}

// firstDay is 1 January 1980 in the form of zip files, their earliest.
const firstDay = 1<<5 | 1

// store adds a file without compressing it. Sizes stand in front of the
// content, because readers in Java do not take stored files otherwise.
func store(zw *zip.Writer, name string, data []byte) error {
	size := uint64(len(data))
	//lint:ignore SA1019 CreateRaw writes the fields for the time as they are and does not look at Modified
	f, err := zw.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Store, ModifiedDate: firstDay,
		CRC32: crc32.ChecksumIEEE(data), CompressedSize64: size, UncompressedSize64: size})
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return err
}
