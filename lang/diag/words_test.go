package diag

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestCount(t *testing.T) {
	assert.Equal(t, "0 links", Count(0, "link"))
	assert.Equal(t, "1 switch", Count(1, "switch"))
	assert.Equal(t, "2 switches", Count(2, "switch"))
	assert.Equal(t, "1,024 hosts", Count(1024, "host"))
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1,000", 131_328: "131,328", 1_000_000: "1,000,000", -999: "-999",
		-1000: "-1,000",
	} {
		assert.Equal(t, want, Number(n))
		assert.Equal(t, want+" B", Bytes(n))
	}
	for n, want := range map[uint64]string{0: "0", 1000: "1,000", math.MaxUint64: "18,446,744,073,709,551,615"} {
		assert.Equal(t, want, Number(n), "a counter can be larger than an int")
	}
	for n, want := range map[int]string{0: "are", 1: "is", 2: "are", -1: "are"} {
		assert.Equal(t, want, Plural(n, "is", "are"))
	}
}

func TestLists(t *testing.T) {
	for _, tt := range []struct {
		names         string
		and, or, some string // some: of at most three
	}{
		{"", "", "", ""},
		{"a", "a", "a", "a"},
		{"a b", "a and b", "a or b", "a and b"},
		{"a b c", "a, b and c", "a, b or c", "a, b and c"},
		{"a b c d", "a, b, c and d", "a, b, c or d", "a, b and 2 more"},
		{"a b c d e", "a, b, c, d and e", "a, b, c, d or e", "a, b and 3 more"},
	} {
		names := strings.Fields(tt.names)
		assert.Equal(t, tt.and, And(names))
		assert.Equal(t, tt.or, Or(names))
		assert.Equal(t, tt.some, Some(names, 3))
		assert.Equal(t, tt.names, strings.Join(names, " "), "the slice of names is not changed")
	}
}

func TestCut(t *testing.T) {
	short := strings.Repeat("x", 60)
	assert.Equal(t, short, Cut(short))
	assert.Equal(t, short+"...", Cut(short+"x"))
	wide := Cut(strings.Repeat("é", 31) + "x") // byte 60 is the end of a letter
	assert.Equal(t, strings.Repeat("é", 30)+"...", wide)
	split := Cut("x" + strings.Repeat("é", 31)) // byte 60 is inside a letter
	assert.Equal(t, "x"+strings.Repeat("é", 29)+"...", split)
	assert.True(t, utf8.ValidString(split))
}

func TestFirstPlace(t *testing.T) {
	a, b := Range{Filename: "a"}, Range{Filename: "b"}
	assert.Equal(t, a, FirstPlace(a, b))
	assert.Equal(t, b, FirstPlace(Range{}, b, a))
	assert.Equal(t, Range{}, FirstPlace(Range{}, Range{}))
	assert.Equal(t, Range{}, FirstPlace())
}

func TestMeant(t *testing.T) {
	assert.Equal(t, ` Did you mean "mesh"?`, Meant("mesh"))
	assert.Empty(t, Meant(""))
}
