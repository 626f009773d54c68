package layer

import (
	"unsafe"

	"modernc.org/libc"
)

// SQLite here is C that was translated to Go: its memory is outside of Go's, its
// pointers are numbers, and a function is called through the address that the
// function's value has.

// at is what is at an address of SQLite's memory.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// bytesAt are n bytes of SQLite's memory.
func bytesAt(address uintptr, n int32) []byte { return unsafe.Slice(at[byte](address), n) }

// pointer is the address of a function that is declared at the top of a file: only
// those stay where they are.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// function is the function at an address.
func function[F any](address uintptr) F { return *(*F)(unsafe.Pointer(&address)) }

// allocate makes a value in SQLite's memory, where it stays.
func allocate[T any](tls *libc.TLS) (address uintptr, value *T) {
	address = libc.Xcalloc(tls, 1, libc.Tsize_t(unsafe.Sizeof(*new(T))))
	if address == 0 {
		panic("layer: no memory for SQLite")
	}
	return address, at[T](address)
}
