package layer

import (
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// VFS is the name of the virtual file system that layers are opened with. Files of
// any other name it leaves to the system's own.
const VFS = "erphub-layers"

// systemVFS is the address of the system's own, methods that of what files of layers
// can do; both are set once.
var systemVFS, methods uintptr

// register makes the file system known to SQLite.
var register = sync.OnceFunc(func() {
	tls := libc.NewTLS() // for good: SQLite keeps what is allocated
	systemVFS = sqlite3.Xsqlite3_vfs_find(tls, 0)
	if systemVFS == 0 {
		panic("layer: SQLite has no file system")
	}
	var io *sqlite3.Tsqlite3_io_methods
	methods, io = allocate[sqlite3.Tsqlite3_io_methods](tls)
	io.FiVersion = 1
	io.FxClose = pointer(fileClose)
	io.FxRead = pointer(fileRead)
	io.FxWrite = pointer(fileWrite)
	io.FxTruncate = pointer(fileTruncate)
	io.FxSync = pointer(fileSync)
	io.FxFileSize = pointer(fileSize)
	io.FxLock = pointer(fileLock)
	io.FxUnlock = pointer(fileUnlock)
	io.FxCheckReservedLock = pointer(fileCheckReservedLock)
	io.FxFileControl = pointer(fileControl)
	io.FxSectorSize = pointer(fileSectorSize)
	io.FxDeviceCharacteristics = pointer(fileCharacteristics)

	system := at[sqlite3.Tsqlite3_vfs](systemVFS)
	address, own := allocate[sqlite3.Tsqlite3_vfs](tls)
	*own = *system // what is not about files is the system's
	own.FiVersion = min(system.FiVersion, 2)
	own.FszOsFile = max(system.FszOsFile, int32(unsafe.Sizeof(openFile{})))
	own.FpNext = 0
	name, err := libc.CString(VFS)
	if err != nil {
		panic("layer: " + err.Error())
	}
	own.FzName = name
	own.FxOpen = pointer(vfsOpen)
	own.FxDelete = pointer(vfsDelete)
	own.FxAccess = pointer(vfsAccess)
	own.FxFullPathname = pointer(vfsFullPathname)
	if rc := sqlite3.Xsqlite3_vfs_register(tls, address, 0); rc != sqlite3.SQLITE_OK {
		panic("layer: SQLite does not take the file system")
	}
	if rc := sqlite3.Xsqlite3_auto_extension(tls, pointer(addAbsentTables)); rc != sqlite3.SQLITE_OK {
		panic("layer: SQLite does not take the tables that are absent")
	}
})

// openFile is what SQLite has of an open file of a layer.
type openFile struct {
	methods uintptr
	number  uintptr // of files
}

// files are the open ones, by number.
var (
	files   sync.Map
	numbers atomic.Uintptr
)

func fileAt(address uintptr) *file {
	f, _ := files.Load(at[openFile](address).number)
	return f.(*file)
}

func vfsOpen(tls *libc.TLS, _, name, address uintptr, flags int32, flagsOut uintptr) int32 {
	if !isLayer(name) {
		open := at[sqlite3.Tsqlite3_vfs](systemVFS).FxOpen
		return function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](open)(tls, systemVFS, name, address, flags, flagsOut)
	}
	o := at[openFile](address)
	*o = openFile{}
	l, known := layers.Load(libc.GoString(name))
	if !known || flags&sqlite3.SQLITE_OPEN_MAIN_DB == 0 {
		return sqlite3.SQLITE_CANTOPEN
	}
	o.number = numbers.Add(1)
	files.Store(o.number, &file{l: l.(*Layer)})
	o.methods = methods
	if flagsOut != 0 {
		*at[int32](flagsOut) = flags
	}
	return sqlite3.SQLITE_OK
}

func vfsDelete(tls *libc.TLS, _, name uintptr, sync int32) int32 {
	if isLayer(name) {
		return sqlite3.SQLITE_OK
	}
	remove := at[sqlite3.Tsqlite3_vfs](systemVFS).FxDelete
	return function[func(*libc.TLS, uintptr, uintptr, int32) int32](remove)(tls, systemVFS, name, sync)
}

// vfsAccess finds no file of a layer: there is nothing beside it.
func vfsAccess(tls *libc.TLS, _, name uintptr, flags int32, result uintptr) int32 {
	if isLayer(name) {
		*at[int32](result) = 0
		return sqlite3.SQLITE_OK
	}
	access := at[sqlite3.Tsqlite3_vfs](systemVFS).FxAccess
	return function[func(*libc.TLS, uintptr, uintptr, int32, uintptr) int32](access)(tls, systemVFS, name, flags, result)
}

func vfsFullPathname(tls *libc.TLS, _, name uintptr, size int32, result uintptr) int32 {
	if !isLayer(name) {
		full := at[sqlite3.Tsqlite3_vfs](systemVFS).FxFullPathname
		return function[func(*libc.TLS, uintptr, uintptr, int32, uintptr) int32](full)(tls, systemVFS, name, size, result)
	}
	text := libc.GoString(name)
	if len(text) >= int(size) {
		return sqlite3.SQLITE_CANTOPEN
	}
	copy(bytesAt(result, size), text+"\x00")
	return sqlite3.SQLITE_OK
}

func isLayer(name uintptr) bool {
	return name != 0 && strings.HasPrefix(libc.GoString(name), namePrefix)
}

func fileClose(_ *libc.TLS, address uintptr) int32 {
	fileAt(address).release(unlocked)
	files.Delete(at[openFile](address).number)
	return sqlite3.SQLITE_OK
}

func fileRead(_ *libc.TLS, address, into uintptr, n int32, offset int64) int32 {
	f := fileAt(address)
	switch whole, err := f.visible().read(f.l.image, bytesAt(into, n), offset); {
	case err != nil:
		return sqlite3.SQLITE_IOERR_READ
	case !whole:
		return sqlite3.SQLITE_IOERR_SHORT_READ
	}
	return sqlite3.SQLITE_OK
}

func fileWrite(_ *libc.TLS, address, from uintptr, n int32, offset int64) int32 {
	f := fileAt(address)
	if f.draft == nil || f.draft.write(f.l.image, bytesAt(from, n), offset) != nil {
		return sqlite3.SQLITE_IOERR_WRITE
	}
	return sqlite3.SQLITE_OK
}

func fileTruncate(_ *libc.TLS, address uintptr, size int64) int32 {
	f := fileAt(address)
	if f.draft == nil || f.draft.truncate(f.l.image, size) != nil {
		return sqlite3.SQLITE_IOERR_TRUNCATE
	}
	return sqlite3.SQLITE_OK
}

func fileSync(*libc.TLS, uintptr, int32) int32 { return sqlite3.SQLITE_OK }

func fileSize(_ *libc.TLS, address, size uintptr) int32 {
	*at[int64](size) = fileAt(address).visible().size
	return sqlite3.SQLITE_OK
}

func fileLock(_ *libc.TLS, address uintptr, level int32) int32 {
	f := fileAt(address)
	if changed := f.l.image.changed; changed != nil && f.lock == unlocked && changed() {
		return sqlite3.SQLITE_IOERR_LOCK
	}
	if !f.acquire(lockLevel(level)) {
		return sqlite3.SQLITE_BUSY
	}
	return sqlite3.SQLITE_OK
}

func fileUnlock(_ *libc.TLS, address uintptr, level int32) int32 {
	fileAt(address).release(lockLevel(level))
	return sqlite3.SQLITE_OK
}

func fileCheckReservedLock(_ *libc.TLS, address, result uintptr) int32 {
	f := fileAt(address)
	f.l.mu.Lock()
	defer f.l.mu.Unlock()
	*at[int32](result) = libc.Bool32(f.l.writer != nil)
	return sqlite3.SQLITE_OK
}

func fileControl(_ *libc.TLS, address uintptr, operation int32, _ uintptr) int32 {
	if operation != sqlite3.SQLITE_FCNTL_COMMIT_PHASETWO {
		return sqlite3.SQLITE_NOTFOUND
	}
	fileAt(address).commit()
	return sqlite3.SQLITE_OK
}

func fileSectorSize(*libc.TLS, uintptr) int32 { return blockSize }

func fileCharacteristics(*libc.TLS, uintptr) int32 {
	return sqlite3.SQLITE_IOCAP_ATOMIC | sqlite3.SQLITE_IOCAP_POWERSAFE_OVERWRITE | sqlite3.SQLITE_IOCAP_SAFE_APPEND | sqlite3.SQLITE_IOCAP_SEQUENTIAL
}
