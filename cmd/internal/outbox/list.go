package outbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
)

// Item is an entry in a list.
type Item struct {
	Entry
	Name   string
	Err    error  // why it cannot be read
	Behind string // name of the entry that holds it back; empty: none
}

// List tells what is in the folder: what waits, in order, then what is set aside.
// It takes no lock: entries may come and go meanwhile.
func (q *Queue) List() ([]Item, error) {
	all, err := q.all()
	var list []Item
	holds := map[string]string{} // names of entries that cannot be read, by key
	for _, e := range all {
		i := Item{Entry: e, Name: q.opts.Prefix + strconv.FormatInt(e.Number, 10)}
		i.Err = q.Read(&i.Entry)
		switch {
		case errors.Is(i.Err, fs.ErrNotExist):
			continue
		case e.Aside:
		case i.Err != nil:
			holds[e.Key] = i.Name
		default:
			i.Behind = cmp.Or(holds[""], holds[e.Key])
		}
		list = append(list, i)
	}
	return list, err
}

// Change calls work for the entries of those names, while nobody delivers. Without
// names these are all that need somebody: entries that are set aside or cannot be
// read. A name is that of a list or the path of the file.
func (q *Queue) Change(ctx context.Context, names []string, work func(*Item) error) error {
	if _, err := os.Stat(q.dir); !errors.Is(err, fs.ErrNotExist) { // it is not made for this
		unlock, err := q.Lock(ctx)
		if err != nil {
			return err
		}
		defer unlock()
	}
	picked, err := q.pick(names)
	if err != nil {
		return err
	}
	for i := range picked {
		if err := work(&picked[i]); err != nil {
			return err
		}
	}
	return nil
}

func (q *Queue) pick(names []string) ([]Item, error) {
	list, err := q.List()
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return slices.DeleteFunc(list, func(i Item) bool { return !i.Aside && i.Err == nil }), nil
	}
	var picked []Item
	for _, name := range names {
		at := slices.IndexFunc(list, func(i Item) bool { return i.Name == name || i.Path == name })
		if at < 0 {
			return nil, fmt.Errorf("there is no %q in the folder %s; list what it holds", name, q.dir)
		}
		picked = append(picked, list[at])
	}
	return picked, nil
}
