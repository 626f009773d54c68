package sqlitefile

import (
	"encoding/binary"
	"fmt"
)

// appendVarint appends a number in the file's form: seven bits a byte, the highest
// first, eight bits in a ninth byte.
func appendVarint(b []byte, v uint64) []byte {
	if v >= 1<<56 {
		for shift := 57; shift >= 8; shift -= 7 {
			b = append(b, byte(v>>shift)|0x80)
		}
		return append(b, byte(v))
	}
	n := 1
	for x := v >> 7; x != 0; x >>= 7 {
		n++
	}
	for i := n - 1; i > 0; i-- {
		b = append(b, byte(v>>(7*i))|0x80)
	}
	return append(b, byte(v)&0x7f)
}

// encode appends the form of values in a record: nil, int64, string and []byte.
func encode(out []byte, values []any) ([]byte, error) {
	var scratch [512]byte
	types, body := scratch[:0:128], scratch[128:128]
	for i, v := range values {
		switch v := v.(type) {
		case nil:
			types = append(types, 0)
		case int64:
			switch {
			case v == 0:
				types = append(types, 8)
			case v == 1:
				types = append(types, 9)
			case int64(int8(v)) == v:
				types, body = append(types, 1), append(body, byte(v))
			case int64(int16(v)) == v:
				types, body = append(types, 2), binary.BigEndian.AppendUint16(body, uint16(v))
			case v >= -1<<23 && v < 1<<23:
				types, body = append(types, 3), append(body, byte(v>>16), byte(v>>8), byte(v))
			case int64(int32(v)) == v:
				types, body = append(types, 4), binary.BigEndian.AppendUint32(body, uint32(v))
			case v >= -1<<47 && v < 1<<47:
				types = append(types, 5)
				body = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(body, uint16(v>>32)), uint32(v))
			default:
				types, body = append(types, 6), binary.BigEndian.AppendUint64(body, uint64(v))
			}
		case string:
			types = appendVarint(types, uint64(13+2*len(v)))
			body = append(body, v...)
		case []byte:
			types = appendVarint(types, uint64(12+2*len(v)))
			body = append(body, v...)
		default:
			return nil, fmt.Errorf("value %d is a %T, which the file cannot hold", i+1, v)
		}
	}
	size := len(types) + 1
	if size > 127 { // the size counts itself
		size++
	}
	out = appendVarint(out, uint64(size))
	out = append(out, types...)
	return append(out, body...), nil
}
