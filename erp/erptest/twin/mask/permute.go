package mask

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"slices"
	"sync"
	"unicode/utf8"
)

// rounds of the Feistel network.
const rounds = 10

// permuter is a keyed permutation of the values of each format. The format of
// a value is the sequence of its characters, where one of an alphabet stands
// for any other of the same: digits stay digits, capitals capitals, and what is
// in no alphabet stays itself.
//
// The two halves of a value are Feistel halves. A round adds a function of the
// one half to the other half, each character in the ring of its own alphabet,
// so the permutation is exact for every mixture of alphabets, and needs no
// table. It is safe for concurrent use.
type permuter struct {
	block cipher.Block
	tweak *source // tells formats apart
	work  sync.Pool
}

func newPermuter(key []byte) *permuter {
	block, err := aes.NewCipher(key[:16])
	if err != nil {
		panic(err) // only for keys of another length
	}
	return &permuter{block: block, tweak: newSource(key[16:]), work: sync.Pool{New: func() any { return new(shape) }}}
}

// within restricts a permutation. Both are functions of the format, or hold for
// a set of values that the permutation then stays in.
type within struct {
	fixed func(i int, runes []rune) bool // characters that stay
	valid func(value []rune) bool        // the set; nil: all values of the format
}

// group is how many values share their images.
const group = 4

// shape is a value taken apart, and the room to work on it.
type shape struct {
	runes  []rune
	at     []int       // which of them are replaced
	alpha  []*alphabet // the alphabet of each
	x      []uint16    // and what they are
	format []byte
	tweak  [16]byte

	state, out       [16]byte
	members, images  [group][]uint16
	sources, results [group][]rune
}

// parse takes a value apart. It reports false for one with characters above
// ASCII that are in no alphabet.
func (p *permuter) parse(s *shape, value string, w within) bool {
	s.runes, s.at, s.alpha, s.x, s.format = s.runes[:0], s.at[:0], s.alpha[:0], s.x[:0], s.format[:0]
	for _, r := range value {
		s.runes = append(s.runes, r)
	}
	for i, r := range s.runes {
		a, n, ok := position(r)
		switch {
		case ok && (w.fixed == nil || !w.fixed(i, s.runes)):
			s.at, s.alpha, s.x = append(s.at, i), append(s.alpha, a), append(s.x, n)
			s.format = append(s.format, 0xff, a.id)
		case !ok && r >= utf8.RuneSelf:
			return false
		default:
			s.format = utf8.AppendRune(s.format, r)
		}
	}
	sum := p.tweak.sum(string(s.format), 0)
	copy(s.tweak[:], sum[:])
	return true
}

// text writes the value of the characters x.
func (s *shape) text(into []rune, x []uint16) []rune {
	into = append(into[:0], s.runes...)
	for i, at := range s.at {
		into[at] = s.alpha[i].chars[x[i]]
	}
	return into
}

// image writes the keyed permutation of x and its text, within a set when there
// is one: the permutation is repeated until it is back in the set that x is in.
func (p *permuter) image(s *shape, i int, valid func([]rune) bool) {
	y := append(s.images[i][:0], s.members[i]...)
	for {
		p.once(s, y)
		s.results[i] = s.text(s.results[i], y)
		if valid == nil || valid(s.results[i]) {
			s.images[i] = y
			return
		}
	}
}

func (p *permuter) once(s *shape, x []uint16) {
	if len(x) == 1 {
		x[0] = p.single(s, x[0])
		return
	}
	half := len(x) / 2
	for round := range rounds {
		if round%2 == 0 {
			p.add(s, byte(round), x[:half], x[half:], s.alpha[half:])
		} else {
			p.add(s, byte(round), x[half:], x[:half], s.alpha[:half])
		}
	}
}

// add adds a function of from to to.
func (p *permuter) add(s *shape, round byte, from, to []uint16, alpha []*alphabet) {
	state := s.state[:]
	copy(state, s.tweak[:])
	state[0] ^= round + 1
	p.block.Encrypt(state, state)
	for len(from) > 0 {
		n := min(len(from), 8)
		for i, v := range from[:n] {
			state[2*i] ^= byte(v >> 8)
			state[2*i+1] ^= byte(v)
		}
		p.block.Encrypt(state, state)
		from = from[n:]
	}
	out := s.out[:]
	for i := range to {
		if i%4 == 0 {
			copy(out, state)
			binary.BigEndian.PutUint32(out, binary.BigEndian.Uint32(out)^uint32(i/4+1))
			p.block.Encrypt(out, out)
		}
		radix := uint32(len(alpha[i].chars))
		to[i] = uint16((uint32(to[i]) + binary.BigEndian.Uint32(out[i%4*4:])%radix) % radix)
	}
}

// single permutes one character: a Feistel network needs two.
func (p *permuter) single(s *shape, x uint16) uint16 {
	d := p.tweak.draw(string(s.tweak[:]), 1)
	all := make([]uint16, len(s.alpha[0].chars))
	for i := range all {
		j := d.n(i + 1)
		all[i] = all[j]
		all[j] = uint16(i)
	}
	return all[x]
}

// orders are the orders of up to four values, the natural one first.
var orders = func() (orders [5][][]int) {
	for n := range orders {
		var grow func(order []int)
		grow = func(order []int) {
			if len(order) == n {
				orders[n] = append(orders[n], slices.Clone(order))
				return
			}
			for i := range n {
				if !slices.Contains(order, i) {
					grow(append(order, i))
				}
			}
		}
		grow(nil)
	}
	return orders
}()

// permute replaces a value by another one of its format. Different values of a
// format have different results, and none is its own result when there is one
// character to replace or more. It reports false, and does nothing, for values
// with characters that are in no alphabet.
//
// Values come in groups of four, which differ in the lowest bits of their last
// two characters. The images of a group are handed out among its members in the
// first order that leaves no part of four characters of a value in its result;
// that keeps the permutation one.
func (p *permuter) permute(value string, w within) (string, bool) {
	s := p.work.Get().(*shape)
	defer p.work.Put(s)
	if ok := p.parse(s, value, w); !ok || len(s.x) == 0 {
		return value, ok
	}
	size, n, self := 2, 0, 0
	if len(s.x) > 1 {
		size = group
	}
	for flips := range size {
		m := append(s.members[n][:0], s.x...)
		for bit := 0; 1<<bit < size; bit++ {
			i := len(m) - 1 - bit
			m[i] = m[i]&^1 | uint16(flips>>bit&1)
		}
		own := slices.Equal(m, s.x)
		s.members[n], s.sources[n] = m, s.text(s.sources[n], m)
		if w.valid != nil && !own && !w.valid(s.sources[n]) {
			continue
		}
		if own {
			self = n
		}
		p.image(s, n, w.valid)
		n++
	}
	fallback := orders[n][0]
	found := false
	for _, order := range orders[n] {
		clean, moved := s.judge(order)
		if clean {
			return string(s.results[order[self]]), true
		}
		if moved && !found {
			fallback, found = order, true
		}
	}
	return string(s.results[fallback[self]]), true
}

// judge reports of an order whether no member keeps a part, and whether none stays as it is.
func (s *shape) judge(order []int) (clean, moved bool) {
	clean = true
	for i, j := range order {
		if slices.Equal(s.members[i], s.images[j]) {
			return false, false
		}
		clean = clean && !partLeft(s.sources[i], s.results[j])
	}
	return clean, true
}
