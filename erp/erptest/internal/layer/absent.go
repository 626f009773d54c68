package layer

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// absentTable is a table that connections to the layers of an image find, with its
// columns and without rows, although the database does not have it: reading it needs
// no definition in the database, which every connection would have to read. Writing
// it fails ("may not be modified"). As soon as the database has a table of its name,
// that one counts.
type absentTable struct {
	plain     string
	number    uintptr // of absentTables
	name      uintptr // C string
	statement uintptr // C string: CREATE TABLE
}

var (
	absentTables  sync.Map // those of all images, by number
	absentInUse   sync.Map // by the addresses that connections have for them
	absentNumbers atomic.Uintptr
	absentModule  = sync.OnceValue(func() uintptr {
		address, m := allocate[sqlite3.Tsqlite3_module](libc.NewTLS())
		m.FxConnect = pointer(absentConnect) // without xCreate the table is there by its name alone
		m.FxBestIndex = pointer(absentBestIndex)
		m.FxDisconnect = pointer(absentDisconnect)
		m.FxOpen = pointer(absentOpen)
		m.FxClose = pointer(absentClose)
		m.FxFilter = pointer(absentFilter)
		m.FxNext = pointer(absentNext)
		m.FxEof = pointer(absentEOF)
		m.FxColumn = pointer(absentColumn)
		m.FxRowid = pointer(absentRowid)
		return address
	})
)

// Absent has the connections to layers over the image find tables that it does not
// have, given by their names and CREATE TABLE statements. It is called once, before
// the image is used.
func (i *Image) Absent(statements map[string]string) error {
	for name, statement := range statements {
		t := &absentTable{plain: name, number: absentNumbers.Add(1)}
		var err error
		if t.name, err = libc.CString(name); err != nil {
			return err
		}
		if t.statement, err = libc.CString(statement); err != nil {
			return err
		}
		absentTables.Store(t.number, t)
		i.absent = append(i.absent, t)
	}
	return nil
}

// AbsentTable is the name of the absent table that a step of a plan opens, given as
// EXPLAIN shows it (p4).
func AbsentTable(p4 string) (name string, ok bool) {
	digits, isTable := strings.CutPrefix(p4, "vtab:")
	address, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(digits), "0x"), 16, 64)
	if !isTable || err != nil {
		return "", false
	}
	t, ok := absentInUse.Load(uintptr(address))
	if !ok {
		return "", false
	}
	return t.(*absentTable).plain, true
}

func (t *absentTable) forget() {
	absentTables.Delete(t.number)
	tls := libc.NewTLS()
	defer tls.Close()
	libc.Xfree(tls, t.name)
	libc.Xfree(tls, t.statement)
}

// addAbsentTables is called for each connection that is opened in the process.
func addAbsentTables(tls *libc.TLS, db, _, _ uintptr) int32 {
	bp := tls.Alloc(8)
	defer tls.Free(8)
	if sqlite3.Xsqlite3_file_control(tls, db, 0, sqlite3.SQLITE_FCNTL_FILE_POINTER, bp) != sqlite3.SQLITE_OK {
		return sqlite3.SQLITE_OK
	}
	address := *at[uintptr](bp)
	if address == 0 || at[openFile](address).methods != methods {
		return sqlite3.SQLITE_OK // somebody else's database
	}
	for _, t := range fileAt(address).l.image.absent {
		if rc := sqlite3.Xsqlite3_create_module_v2(tls, db, t.name, absentModule(), t.number, 0); rc != sqlite3.SQLITE_OK {
			return rc
		}
	}
	return sqlite3.SQLITE_OK
}

func absentConnect(tls *libc.TLS, db, number uintptr, _ int32, _, result, _ uintptr) int32 {
	t, known := absentTables.Load(number)
	if !known {
		return sqlite3.SQLITE_ERROR
	}
	if rc := sqlite3.Xsqlite3_declare_vtab(tls, db, t.(*absentTable).statement); rc != sqlite3.SQLITE_OK {
		return rc
	}
	address, _ := allocate[sqlite3.Tsqlite3_vtab](tls)
	absentInUse.Store(address, t)
	*at[uintptr](result) = address
	return sqlite3.SQLITE_OK
}

func absentDisconnect(tls *libc.TLS, address uintptr) int32 {
	absentInUse.Delete(address)
	libc.Xfree(tls, address)
	return sqlite3.SQLITE_OK
}

func absentOpen(tls *libc.TLS, _, result uintptr) int32 {
	*at[uintptr](result), _ = allocate[sqlite3.Tsqlite3_vtab_cursor](tls)
	return sqlite3.SQLITE_OK
}

func absentClose(tls *libc.TLS, address uintptr) int32 {
	libc.Xfree(tls, address)
	return sqlite3.SQLITE_OK
}

func absentBestIndex(_ *libc.TLS, _, info uintptr) int32 {
	i := at[sqlite3.Tsqlite3_index_info](info)
	i.FestimatedCost, i.FestimatedRows = 1, 1
	return sqlite3.SQLITE_OK
}

func absentFilter(*libc.TLS, uintptr, int32, uintptr, int32, uintptr) int32 { return sqlite3.SQLITE_OK }

func absentNext(*libc.TLS, uintptr) int32 { return sqlite3.SQLITE_OK }

// absentEOF: there are no rows.
func absentEOF(*libc.TLS, uintptr) int32 { return 1 }

func absentColumn(*libc.TLS, uintptr, uintptr, int32) int32 { return sqlite3.SQLITE_OK }

func absentRowid(_ *libc.TLS, _, rowid uintptr) int32 {
	*at[int64](rowid) = 0
	return sqlite3.SQLITE_OK
}
