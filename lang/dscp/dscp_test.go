package dscp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestText(t *testing.T) {
	for v, want := range map[int]string{
		0: "0 (be)", 8: "8 (cs1)", 26: "26 (af31)", 44: "44 (voice-admit)", 46: "46 (ef)", 48: "48 (cs6)",
		1: "1", 63: "63",
	} {
		assert.Equal(t, want, Text(v))
	}
}

// The table agrees with the formulas of the RFCs, in upper and lower case. Other values have no name.
func TestParse(t *testing.T) {
	want := map[string]int{"be": 0, "default": 0, "ef": 46, "voice-admit": 44, "va": 44}
	for class := range 8 {
		want["cs"+string(rune('0'+class))] = 8 * class
	}
	for class := 1; class <= 4; class++ {
		for drop := 1; drop <= 3; drop++ {
			want["af"+string(rune('0'+class))+string(rune('0'+drop))] = 8*class + 2*drop
		}
	}
	for name, v := range want {
		for _, s := range []string{name, strings.ToUpper(name)} {
			got, ok := Parse(s)
			assert.True(t, ok, s)
			assert.Equal(t, v, got, s)
		}
	}
	for _, s := range []string{"", "cs", "cs8", "af14", "af51", "26", "le", "ef "} {
		_, ok := Parse(s)
		assert.False(t, ok, "%q", s)
	}
	assert.Len(t, Names(), len(want)-len(aliases))
	for _, name := range Names() {
		assert.Contains(t, want, name)
		assert.Contains(t, Text(want[name]), "("+name+")")
	}
}
