package engine

import "strings"

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// padding is what '=' counts as among the values of digits.
const padding = 127

// LenientBase64 decodes text as the REST plugin decodes attachments: characters
// that are not digits are passed over, and so is what is left after the last four
// digits. It is not ok where the plugin's decoder itself fails: at characters
// beyond ASCII, and at padding in odd places.
func LenientBase64(text string) (data []byte, ok bool) {
	room, ok := base64Room(text)
	if !ok {
		return nil, false
	}
	data = make([]byte, 0, room)
	var four [4]byte
	n := 0
	for i := range len(text) {
		v := base64Value(text[i])
		if v < 0 {
			continue
		}
		four[n] = byte(v)
		if n++; n < len(four) {
			continue
		}
		n = 0
		data = append(data, four[0]<<2|four[1]>>4)
		if four[2] != padding {
			data = append(data, four[1]<<4|four[2]>>2)
		}
		if four[3] != padding {
			data = append(data, four[2]<<6|four[3])
		}
		if len(data) > room {
			return nil, false
		}
	}
	return data, true
}

// base64Room is how many bytes the plugin's decoder makes room for.
func base64Room(text string) (room int, ok bool) {
	for i := range len(text) {
		if text[i] > 127 {
			return 0, false
		}
	}
	room = len(text) / 4 * 3
	digits := strings.TrimRight(text, "=")
	pads := len(text) - len(digits)
	if pads > 2 || digits == "" || base64Value(digits[len(digits)-1]) < 0 {
		return room, true
	}
	return room - pads, room >= pads
}

// base64Value is the value of a digit, -1 for any other character.
func base64Value(c byte) int {
	if c == '=' {
		return padding
	}
	return strings.IndexByte(base64Digits, c)
}
