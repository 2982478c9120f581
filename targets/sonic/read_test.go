package sonic_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/sonic"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target"
)

// TestReadWritten: reading back what was written gives the settings of the fabric, on every kind of switch.
func TestReadWritten(t *testing.T) {
	ports := 0
	for _, d := range everything(t, "202511") {
		speed, same := speeds(d)
		if !same {
			continue
		}
		w, _ := sonic.For(d)
		for _, name := range []string{"template", "dynamic", "fresh"} {
			old := ""
			if name != "fresh" {
				b := boxes(d)[name]
				b.speed = speed
				old = b.state()
			}
			out, ds := w.Edit([]byte(old))
			require.False(t, ds.HasErrors())
			got, want := sonic.Read(d, out), d.Wanted()
			for _, p := range d.Ports {
				a, b := got.Port(p.Name), want.Port(p.Name)
				require.Equal(t, b.Sends, a.Sends, "%s %s", name, p)
				require.Equal(t, b.Obeys, a.Obeys)
				require.Equal(t, b.LinkPause, a.LinkPause)
				require.Equal(t, b.Marks, a.Marks)
				require.Equal(t, b.Marking, a.Marking)
				for v := range a.DSCP {
					if b.DSCP[v] >= 0 && a.Trust.DSCP {
						require.Equal(t, b.DSCP[v], a.DSCP[v])
					}
					if b.DSCP[v] < 0 && a.Trust.DSCP { // no group claims the value, so it is never lossless
						require.Zero(t, a.Lossless()>>a.DSCP[v]&1)
					}
				}
				require.True(t, a.TrustKnown)
				ports++
			}
		}
	}
	require.Greater(t, ports, 100)
}

// TestUnderstandRows: a state as rows and as a dump gives the same result as [sonic.Read], and all of it is understood.
func TestUnderstandRows(t *testing.T) {
	d := device(t, rack, "tor1")
	for _, release := range []string{"202205", "202505", "202605"} {
		b := usual(release)
		w, _ := sonic.For(d)
		for _, state := range []string{b.state(), edit(t, w, b.state())} {
			want := sonic.Read(d, []byte(state))
			u := sonic.Understand(target.Identity{}, map[string][]byte{sonic.Path: []byte(state)})
			assert.Empty(t, u.Coverage.Not)
			assert.True(t, u.Coverage.RoCE())
			assert.Equal(t, ir.Running, u.Settings.Moment)
			assert.Equal(t, want.Pools, u.Settings.Pools)
			assert.Equal(t, want.System, u.Settings.System)
			for _, p := range d.Ports {
				require.Equal(t, want.Port(p.Name), u.Settings.Port(p.Name), p.Name)
			}
		}
	}
}

// TestReadTemplate: a switch with the tables of its template sends DSCP 26 to the lossy class 1, and is lossless for 3 and 4.
func TestReadTemplate(t *testing.T) {
	d := device(t, rack, "tor1")
	b := usual("202505")
	s := sonic.Read(d, []byte(b.state())).Port("Ethernet0")
	assert.Equal(t, int8(1), s.DSCP[26])
	assert.Equal(t, int8(3), s.DSCP[3])
	assert.Equal(t, uint8(0x18), s.Sends)
	assert.Equal(t, uint8(0x18), s.Obeys)
	assert.Equal(t, uint8(0x18), s.Marks)
	assert.Equal(t, ir.Marking{Min: 1048576, Max: 2097152, Probability: 5}, s.Marking)
	assert.Equal(t, 2*29696, s.Headroom)
	assert.Equal(t, uint8(15), s.Share[3])
	assert.Equal(t, ir.Trust{DSCP: true}, s.Trust)

	b.qos = false
	none := sonic.Read(d, []byte(b.state())).Port("Ethernet0")
	assert.Zero(t, none.Sends|none.Obeys|none.Marks)
	assert.True(t, none.PausesKnown)
}

// TestReadLossy: a port with PFC and without a lossless priority group obeys pauses and sends none (pitfalls 2 and 3).
func TestReadLossy(t *testing.T) {
	d := device(t, rack, "tor1")
	for _, c := range []struct {
		name   string
		change func(c *grammar.Config)
		sends  uint8
	}{
		{"as it is", func(*grammar.Config) {}, 0x18},
		{"no group", func(c *grammar.Config) { c.Delete("BUFFER_PG", "Ethernet0|3-4", "") }, 0},
		{"a lossy profile", func(c *grammar.Config) { c.Put("BUFFER_PG", "Ethernet0|3-4", "profile", "ingress_lossy_profile") }, 0},
		{"computed", func(c *grammar.Config) { c.Put("BUFFER_PG", "Ethernet0|3-4", "profile", "NULL") }, 0x18},
		{"one of two", func(c *grammar.Config) {
			c.Delete("BUFFER_PG", "Ethernet0|3-4", "")
			c.Put("BUFFER_PG", "Ethernet0|4", "profile", "pg_lossless_100000_5m_profile")
		}, 0x10},
		{"another group", func(c *grammar.Config) { c.Put("TC_TO_PRIORITY_GROUP_MAP", "AZURE", "3", "0") }, 0x10},
		{"a port that is down", func(c *grammar.Config) {
			c.Delete("BUFFER_PG", "Ethernet0|3-4", "")
			c.Put("PORT", "Ethernet0", "admin_status", "down")
		}, 0x18},
		{"the groups of all ports are unknown", func(c *grammar.Config) { delete(c.Tables, "BUFFER_PG") }, 0x18},
	} {
		s := sonic.Read(d, []byte(change("202505", c.change))).Port("Ethernet0")
		assert.Equal(t, c.sends, s.Sends, c.name)
		assert.Equal(t, uint8(0x18), s.Obeys, c.name)
	}
}

// TestHeadrooms: the headroom of a priority group comes from its profile. A profile of the buffer manager is not part of the state; its
// headroom comes from the row of the lookup file.
func TestHeadrooms(t *testing.T) {
	d := device(t, rack, "tor1")
	for _, c := range []struct {
		name    string
		profile string
		change  func(c *grammar.Config)
		want    int // sum of both groups of Ethernet0, in bytes
	}{
		{"made from the lookup file", "pg_lossless_100000_5m_profile", nil, 59392},
		{"of another length", "pg_lossless_100000_40m_profile", func(c *grammar.Config) {
			c.Put(grammar.LookupTable, "100000|40m", "xoff", "38912")
		}, 77824},
		{"a speed without sizes", "pg_lossless_50000_5m_profile", nil, 0},
		{"a length without sizes", "pg_lossless_100000_7m_profile", nil, 0},
		{"an invalid size", "pg_lossless_100000_5m_profile", func(c *grammar.Config) {
			c.Put(grammar.LookupTable, "100000|5m", "xoff", "-1")
		}, 0},
		{"no lookup file", "pg_lossless_100000_5m_profile", func(c *grammar.Config) { delete(c.Tables, grammar.LookupTable) }, 0},
		{"another name", "pg_lossless_0100000_5m_profile", nil, 0},
		{"a profile that the switch computes", "NULL", nil, 0},
		{"one of somebody's", "own", func(c *grammar.Config) {
			c.Put("BUFFER_PROFILE", "own", "xoff", "12345")
		}, 24690},
		{"a lossy one", "own", func(c *grammar.Config) { c.Put("BUFFER_PROFILE", "own", "size", "0") }, 0},
		{"a missing profile", "gone", nil, 0},
	} {
		text := change("202505", func(cfg *grammar.Config) {
			cfg.Put("BUFFER_PG", "Ethernet0|3-4", "profile", c.profile)
			if c.change != nil {
				c.change(cfg)
			}
		})
		assert.Equal(t, c.want, sonic.Read(d, []byte(text)).Port("Ethernet0").Headroom, c.name)
	}
}

// TestReadTrust: no document states which of two maps counts.
func TestReadTrust(t *testing.T) {
	d := device(t, rack, "tor1")
	text := change("202505", func(c *grammar.Config) {
		c.Put("DOT1P_TO_TC_MAP", "D", "3", "3")
		c.Put("PORT_QOS_MAP", "Ethernet0", "dot1p_to_tc_map", "D")
		c.Put("PORT_QOS_MAP", "global", "dscp_to_tc_map", "AZURE")
		c.Delete("PORT_QOS_MAP", "Ethernet8", "dscp_to_tc_map")
	})
	s := sonic.Read(d, []byte(text))
	assert.False(t, s.Port("Ethernet0").TrustKnown)
	assert.Equal(t, int8(3), s.Port("Ethernet0").PCP[3])
	assert.Equal(t, int8(-1), s.Port("Ethernet0").PCP[4])
	assert.Equal(t, int8(1), s.Port("Ethernet8").DSCP[26], "the map of the whole switch")
}

// TestReadNothing: an empty text, and a text that is not a configuration.
func TestReadNothing(t *testing.T) {
	d := device(t, rack, "tor1")
	for _, text := range []string{"", "{}", "x", `{"PORT": {"Ethernet0": {}, "Ethernet0": {}}}`, `{"asic0": {}}`} {
		assert.Nil(t, sonic.Read(d, []byte(text)), text)
	}
}

// FuzzEdit: no input makes an edit, a reading or a check panic, and a second edit changes nothing.
func FuzzEdit(f *testing.F) {
	d := device(f, rack, "tor1")
	w, _ := sonic.For(d)
	for _, release := range []string{"202205", "202505", "202605"} {
		b := usual(release)
		f.Add([]byte(b.state()))
		b.model = "dynamic"
		f.Add([]byte(b.state()))
		out, _ := w.Edit([]byte(b.state()))
		f.Add(out)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		sonic.Read(d, data)
		w.File().Lint(data)
		w.Keys(data)
		out, ds := w.Edit(data)
		if ds.HasErrors() {
			return
		}
		again, ds := w.Edit(out)
		require.False(t, ds.HasErrors())
		require.Equal(t, string(out), string(again))
		_, _, err := w.Sequence(data, out)
		_ = err
	})
}
