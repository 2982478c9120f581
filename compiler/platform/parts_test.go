package platform

import (
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFindOrder(t *testing.T) {
	for number, want := range map[string]string{
		"MSN2010-CB2F": "sn2010", "MSN2100-BB2F": "sn2100", "MSN2700-CS2FC": "sn2700", "msn2700-bs2f": "sn2700",
		"Mellanox MSN2410-CB2R": "sn2410",
		"MSN3700-VS2F":          "sn3700", "MSN3700-VS2RC": "sn3700", "MSN3700-CS2R": "sn3700c", "NVIDIA-MSN3700-CS2FO": "sn3700c",
		"MSN4600-CS2FC": "sn4600c", "MSN4600-VS2RC": "sn4600", "MSN4700-WS2F": "sn4700",
		"920-9N42F-00RI-7C0": "sn5600", "920-9N42F-00RI-3C1": "sn5610",
		"DCS-7060CX-32S-F": "7060cx-32s", "DCS-7060CX-32S": "7060cx-32s", "7060CX-32S-R": "7060cx-32s", "DCS-7060CX2-32S-F": "7060cx2-32s",
		"DCS-7050QX-32-F": "7050qx-32", "DCS-7050QX-32-SSD-F": "7050qx-32", "DCS-7050QX-32S-F": "7050qx-32s",
		"Arista DCS-7260CX3-64-F": "7260cx3-64",
		"7726-32X-O-AC-F":         "as7726-32x", "AS7326-56X-O-AC-F": "as7326-56x", "5812-54T-O-AC-F-US": "as5812-54x",
		"Edgecore 7712-32X-O-AC-B": "as7712-32x",
	} {
		s, ok := FindOrder(number)
		if assert.True(t, ok, number) {
			assert.Equal(t, want, s.Name, number)
		}
		_, named := FindSwitch(number)
		assert.False(t, named, "%s is also a name", number)
	}
	for _, none := range []string{
		"", "-", "*", "MSN", "MSN3700", "MSN3700-", "MSN3700-XS2F", "MSN4600", "920-9N42F-00RI", "DCS-7050QX-32SX-F", "7726-32X", "[",
		"MSN2700X-CS2F",
	} {
		_, ok := FindOrder(none)
		assert.False(t, ok, none)
	}
}

// A part number matches one model, and every pattern contains its family.
func TestPartsAreSound(t *testing.T) {
	for _, s := range Switches {
		for _, p := range s.Parts {
			_, err := path.Match(p, "x")
			require.NoError(t, err, p)
			sample := sampleOf(p)
			require.True(t, Ordered(sample, s.Parts), sample)
			require.Equal(t, []string{p}, NearlyOrdered(sample, []string{p}), sample)
			for _, o := range Switches {
				require.Equal(t, o == s, Ordered(sample, o.Parts), "%s: %s", sample, o.Name)
			}
		}
	}
}

// sampleOf returns a part number that matches a pattern, with the first of every choice.
func sampleOf(pattern string) string {
	var out []byte
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '*':
			out = append(out, "7X"...)
		case '?':
			out = append(out, 'Q')
		case '[':
			out = append(out, pattern[i+1])
			for pattern[i] != ']' {
				i++
			}
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

func TestNearlyOrdered(t *testing.T) {
	near := func(name string) []string {
		var out []string
		for _, s := range Switches {
			if NearlyOrdered(name, s.Parts) != nil {
				out = append(out, s.Name)
			}
		}
		return out
	}
	assert.Equal(t, []string{"sn3700", "sn3700c"}, near("MSN3700-XS2F"))
	assert.Equal(t, []string{"sn3700", "sn3700c"}, near("nvidia msn3700"))
	assert.Equal(t, []string{"sn5600", "sn5610"}, near("920-9N42F-00RI-9X0"))
	assert.Empty(t, near("MSN37000"))
	assert.Empty(t, near("sn3700"))
	assert.Empty(t, near(""))
}

func TestOrderHeads(t *testing.T) {
	heads := OrderHeads()
	for head, model := range heads {
		assert.NotContains(t, head, "*")
		s, ok := FindOrder(head + "-7X")
		if ok { // patterns with further text after the hyphen require it
			assert.Equal(t, model, s.Name, head)
		}
	}
	assert.Equal(t, "sn2700", heads["MSN2700"])
	assert.Equal(t, "MSN2790", OrderHead("nvidia msn2790-cs2f"))
	assert.Equal(t, "MSN2790", OrderHead("MSN2790"))
	assert.Equal(t, "DCS-7060CX-32X", OrderHead("DCS-7060CX-32X-F"))
}
