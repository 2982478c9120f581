package read_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/read"
)

// sameAsStrict compares a loose reading with the strict one, if the strict reader accepts the text. Rows, fields and places must be
// equal, and the loose reading must have no slip.
func sameAsStrict(t require.TestingT, data []byte) {
	strict, err := grammar.Read(data)
	loose := read.Loosely(data)
	if err != nil {
		return
	}
	for name := range strict.Others {
		if strings.ContainsAny(name, "|:") || name == "OP" {
			return // a text of another form
		}
	}
	require.Empty(t, loose.Slips)
	require.Empty(t, loose.Twins)
	require.Equal(t, -1, loose.Comment)
	require.True(t, maps.Equal(strict.Others, loose.Config.Others))
	require.Len(t, loose.Config.Tables, len(strict.Tables))
	for name, s := range strict.Tables {
		of := grammar.TableOf(name)
		own := loose.Config.Tables[name]
		require.NotNil(t, own, name)
		require.Equal(t, s.At, own.At)
		require.Len(t, own.Rows, len(s.Rows))
		for key, row := range s.Rows {
			require.NotNil(t, own.Rows[key], key)
			require.Equal(t, row.At, own.Rows[key].At)
			for field, v := range row.Fields {
				if strings.HasSuffix(field, "@") || field == "NULL" || loose.Old >= 0 || !of.Judged(field) {
					continue
				}
				require.Equal(t, v, own.Rows[key].Fields[field], "%s|%s %s", name, key, field)
			}
		}
	}
	if loose.Old < 0 {
		require.Equal(t, strict.Found, loose.Config.Found)
	}
}

// TestLoadIsStrictWhereItCan: the loose reader reads every text that the strict reader accepts with the same result.
func TestLoadIsStrictWhereItCan(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	text := string(spell(usual()))
	sameAsStrict(t, []byte(text))
	for range 3000 {
		at := r.IntN(len(text))
		word := []string{"", "1", `"`, "null", "{", "}", "[", "]", ",", ":", " ", `\n`, `\u00e9`, "é", "{}", `["a"]`, `[1]`}[r.IntN(17)]
		sameAsStrict(t, []byte(text[:at]+word+text[min(len(text), at+r.IntN(12)):]))
	}
	for _, text := range []string{
		`{"SCHEDULER": {"s": {"weight": 1, "type": null, "x": true}}, "QUEUE": {"Ethernet0|3": {}, "Ethernet0|3-4": {}}}`,
		`{"DEVICE_METADATA": {"localhost": {"a": {"b": [{"c": 1}]}, "type": ["x", 2], "hwsku": null}}, "VLAN": {}, "X": 1, "Y": [1, {"a": 2}]}`,
		`{"PORT": {"Ethernet0": {"speed": 100000, "lanes": [0, 1], "adv_speeds": ["all"]}}, "@lookup": {"file": {}}}`, "", "{}", " \n",
	} {
		sameAsStrict(t, []byte(text))
	}
}

// A text that is not JSON has a slip, a key that occurs twice, or a comment. So a text that a switch refuses never appears sound.
func TestNoSlipIsSilent(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	text := string(spell(usual()))
	broken := 0
	for range 3000 {
		at := r.IntN(len(text))
		changed := text[:at] + []string{"", "x", `"`, "{", "}", "[", "]", ",", ":", "\x01", "\xff", `\`}[r.IntN(12)] + text[at+r.IntN(2):]
		loose := read.Loosely([]byte(changed))
		if _, err := grammar.Read([]byte(changed)); err != nil && len(loose.Slips)+len(loose.Twins) == 0 {
			require.Contains(t, changed, "|", "another form: %v", err)
			require.True(t, json.Valid([]byte(changed)), "%v", err)
		} else if err != nil {
			broken++
		}
	}
	assert.Greater(t, broken, 1000)
}

// TestWatchedLists: a row of PFC_WD that lists ports is the row of each of them, unless a port has its own.
func TestWatchedLists(t *testing.T) {
	c := usual()
	own := maps.Clone(c["PFC_WD"]["Ethernet0"])
	delete(c["PFC_WD"], "Ethernet4")
	c["PFC_WD"]["Ethernet0,Ethernet4"] = fields{"action": "forward", "detection_time": "100", "restoration_time": "100"}
	c["PFC_WD"]["Ethernet0"] = own
	u := understand(spell(c))
	assert.Equal(t, ir.Of(ir.WatchdogDrop), detail(t, u, "Ethernet0").Watchdog.Action)
	assert.Equal(t, ir.Of(ir.WatchdogForward), detail(t, u, "Ethernet4").Watchdog.Action)
	at, ok := u.Where("Ethernet4", ir.FieldWatchdog, 0)
	require.True(t, ok)
	assert.Equal(t, `"forward"`, string(spell(c)[at.Start.Byte:at.End.Byte]))
}

// TestRoCE: a profile with headroom is RoCE. A switch with a template and without PFC is not.
func TestRoCE(t *testing.T) {
	plain := tables{
		"DEVICE_METADATA": {"localhost": {"hwsku": "ACS-MSN2700", "buffer_model": "traditional"}},
		"PORT":            {"Ethernet0": {"speed": "100000", "admin_status": "up"}},
		"CABLE_LENGTH":    {"AZURE": {"Ethernet0": "5m"}},
		"BUFFER_POOL": {
			"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "9000000", "xoff": "300000"},
			"egress_lossy_pool":     {"type": "egress", "mode": "dynamic", "size": "9000000"},
		},
		"BUFFER_PROFILE": {
			"ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
			"egress_lossy_profile":  {"pool": "egress_lossy_pool", "size": "1518", "dynamic_th": "3"},
		},
		"BUFFER_PG": {"Ethernet0|0": {"profile": "ingress_lossy_profile"}},
		"@lookup":   {"100000|5m": {"size": "34816", "xon": "18432", "xoff": "16384"}},
	}
	u := understand(spell(plain))
	assert.Empty(t, u.Coverage.Not)
	assert.False(t, u.Coverage.RoCE())
	plain["BUFFER_PROFILE"]["ingress_lossy_profile"]["xoff"] = "40000"
	assert.True(t, understand(spell(plain)).Coverage.RoCE())
}

// FuzzLoad: no input makes Load panic, and texts that the strict reader accepts are read like the strict reader does.
func FuzzLoad(f *testing.F) {
	f.Add(spell(usual()))
	f.Add([]byte(`{"SCHEDULER": {"s": {"weight": 1, "weight": null}}, "QUEUE": {"a,b|3": {"x@": "a,b"}}} // x`))
	f.Add([]byte(`{"PORT": {"Ethernet0": {"lanes": [0, {"a": "b"}]}}, "VLAN": {"a": {"b": {"b": 1}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) { sameAsStrict(t, data) })
}
