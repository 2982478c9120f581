package sonic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/sonic"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

// change returns the state of the usual switch with some changes.
func change(release string, f func(c *grammar.Config)) string {
	c := grammar.New()
	if got, err := grammar.ReadRows([]byte(usual(release).state())); err == nil {
		c = got
	}
	f(c)
	return string(c.Rows())
}

// codes returns the codes and the texts of what an edit reports.
func codes(t *testing.T, w *sonic.Wish, old string) (out []string, text string) {
	t.Helper()
	_, ds := w.Edit([]byte(old))
	for _, d := range ds {
		out = append(out, d.Code)
		text += d.Detail + "\n"
	}
	return out, text
}

// TestEditSays: a setting that the switch refuses, or that leaves a port lossy, is reported before any change.
func TestEditSays(t *testing.T) {
	drop := func(table, row, field string) func(c *grammar.Config) {
		return func(c *grammar.Config) { c.Delete(table, row, field) }
	}
	for _, c := range []struct {
		name, release string
		change        func(c *grammar.Config)
		code, says    string
	}{
		{"marking cannot be made", "202405", drop("WRED_PROFILE", "AZURE_LOSSLESS", ""), "sonic-patch", "202511 or later"},
		{"nor at 202505", "202505", drop("WRED_PROFILE", "AZURE_LOSSLESS", ""), "sonic-patch", "202511 or later"},
		{"it can be made at 202511", "202511", drop("WRED_PROFILE", "AZURE_LOSSLESS", ""), "", ""},
		{
			"a profile that marks nothing", "202505", func(c *grammar.Config) { c.Put("WRED_PROFILE", "AZURE_LOSSLESS", "ecn", "ecn_none") },
			"sonic-marking", `"ecn_none"`,
		},
		{"a profile that is off", "202505", drop("WRED_PROFILE", "AZURE_LOSSLESS", "wred_green_enable"), "sonic-marking", "wred_green_enable"},
		{
			"it does not matter at 202511", "202511", func(c *grammar.Config) { c.Put("WRED_PROFILE", "AZURE_LOSSLESS", "ecn", "ecn_none") },
			"", "",
		},
		{
			"a profile that marks green packets", "202505",
			func(c *grammar.Config) { c.Put("WRED_PROFILE", "AZURE_LOSSLESS", "ecn", "ecn_green") }, "", "",
		},
		{"no pool", "202505", drop("BUFFER_POOL", grammar.Pool, ""), "sonic-pool", "ingress_lossless_pool"},
		{"no such port", "202505", drop("PORT", "Ethernet72", ""), "sonic-port", "has no port Ethernet72"},
		{"no admin_status", "202505", drop("PORT", "Ethernet72", "admin_status"), "sonic-admin-status", "Ethernet72"},
		{"a port outside the fabric has no admin_status", "202505", drop("PORT", "Ethernet16", "admin_status"), "", ""},
		{
			"several chips", "202505", func(c *grammar.Config) { c.Put(grammar.VersionTable, "localhost", "asic_count", "3") },
			"sonic-chips", "3 chips",
		},
		{"no length reaches", "202505", func(c *grammar.Config) {
			c.Delete(grammar.LookupTable, "100000|40m", "")
			c.Delete(grammar.LookupTable, "100000|300m", "")
		}, "sonic-cable", "32 m long"},
		{"a speed without sizes", "202505", func(c *grammar.Config) { c.Put("PORT", "Ethernet72", "speed", "50000") }, "sonic-cable", "50G"},
		{"a lookup file without sizes", "202505", func(c *grammar.Config) {
			for _, length := range []string{"5m", "40m", "300m"} {
				c.Delete(grammar.LookupTable, "100000|"+length, "")
			}
		}, "sonic-cable", "or an empty one"},
		{
			"no lookup file", "202505", func(c *grammar.Config) { delete(c.Tables, grammar.LookupTable) }, "sonic-cable",
			`Its hwsku is "ACS-MSN4700"`,
		},
		{
			"the dynamic model needs no file", "202505", func(c *grammar.Config) {
				delete(c.Tables, grammar.LookupTable)
				c.Put("DEVICE_METADATA", "localhost", "buffer_model", "dynamic")
			}, "", "",
		},
		{
			"an old image", "202405", func(c *grammar.Config) {
				c.Put(grammar.VersionTable, "localhost", "build_version", "20240510.1")
				c.Put("DEVICE_METADATA", "localhost", "hwsku", "Nokia-IXR7220-H3")
				c.Put(grammar.VersionTable, "localhost", "asic_type", "broadcom")
			}, "", "",
		},
		{"an unknown release", "202505", func(c *grammar.Config) {
			c.Put(grammar.VersionTable, "localhost", "build_version", "SONiC.master.1-x")
		}, "sonic-image", "master"},
	} {
		w := wish(t, device(t, on(c.release), "tor1"))
		got, text := codes(t, w, change(c.release, c.change))
		if c.code == "" {
			assert.Empty(t, got, "%s: %s", c.name, text)
			continue
		}
		assert.Contains(t, got, c.code, "%s: %s", c.name, text)
		assert.Contains(t, text, c.says, c.name)
	}
}

// TestWatchdogs: where the allow-list refuses a patch, commands write the table (pitfalls 1 and 7).
func TestWatchdogs(t *testing.T) {
	for _, c := range []struct {
		name, release string
		change        func(c *grammar.Config)
		want          string
	}{
		{"GLOBAL is there", "202505", func(*grammar.Config) {}, ""},
		{"GLOBAL is missing", "202505", func(c *grammar.Config) { c.Delete("PFC_WD", "GLOBAL", "") }, "pfcwd interval 200 || exit\n" +
			"pfcwd start --action drop Ethernet0 Ethernet8 Ethernet72 Ethernet80 200 --restoration-time 200 || exit\n"},
		{
			"no port has a watchdog, and GLOBAL is missing", "202505", func(c *grammar.Config) { c.Delete("PFC_WD", "Ethernet16", "") },
			"pfcwd interval 200 || exit\n" +
				"pfcwd start --action drop Ethernet0 Ethernet8 Ethernet72 Ethernet80 200 --restoration-time 200 || exit\n",
		},
		{
			"the hwsku is on no list", "202605", func(c *grammar.Config) { c.Put("DEVICE_METADATA", "localhost", "hwsku", "Own") },
			"pfcwd start --action drop Ethernet0 Ethernet8 Ethernet72 Ethernet80 200 --restoration-time 200 || exit\n",
		},
		{"the interval that others set is kept", "202505", func(c *grammar.Config) {
			c.Put("PFC_WD", "GLOBAL", "POLL_INTERVAL", "400")
			c.Put("PFC_WD", "Ethernet0", "action", "alert")
			c.Put("PFC_WD", "Ethernet0", "detection_time", "600")
			c.Put("PFC_WD", "Ethernet0", "restoration_time", "600")
			c.Put("PFC_WD", "Ethernet0", "pfc_stat_history", "disable")
			c.Put("DEVICE_METADATA", "localhost", "hwsku", "Own")
			c.Delete("WRED_PROFILE", "AZURE_LOSSLESS", "")
		}, ""},
	} {
		release := c.release
		if strings.HasPrefix(c.name, "the interval") {
			release = "202511"
		}
		w := wish(t, device(t, on(release), "tor1"))
		old := change(release, c.change)
		out := edit(t, w, old)
		var script strings.Builder
		for _, s := range sequence(t, w, old, out) {
			if s.Doc == "watchdogs" {
				script.WriteString(s.Script())
			}
		}
		if strings.HasPrefix(c.name, "the interval") {
			c.want = "pfcwd start --action drop Ethernet8 Ethernet72 Ethernet80 400 --restoration-time 400 || exit\n"
			assert.Equal(t, "alert", read(t, out).Get("PFC_WD", "Ethernet0", "action"))
		}
		assert.Equal(t, c.want, script.String(), c.name)
	}
}

// TestThresholds: the thresholds of an existing profile are set by command if the allow-list does not know the switch, and otherwise by
// patch.
func TestThresholds(t *testing.T) {
	w := wish(t, device(t, on("202411"), "tor1"))
	old := change("202411", func(c *grammar.Config) { c.Put("DEVICE_METADATA", "localhost", "hwsku", "Own") })
	steps := sequence(t, w, old, edit(t, w, old))
	assert.Equal(t, "ecnconfig -p AZURE_LOSSLESS -gmin 150000 -gmax 1500000 -gdrop 100 || exit\n", steps[0].Script())
	old = usual("202411").state()
	steps = sequence(t, w, old, edit(t, w, old))
	assert.Contains(t, string(grammar.JSON(steps[0].Ops)), "/WRED_PROFILE/AZURE_LOSSLESS/green_min_threshold")
}

// TestLengths: in the traditional model a cable has the next longer length of the lookup file. In the dynamic model it has its own length
// in whole metres (pitfalls 3 and 6).
func TestLengths(t *testing.T) {
	w := wish(t, device(t, rack, "tor1"))
	b := usual("202505")
	for _, c := range []struct {
		model  string
		lookup []string
		want   string
	}{
		{"traditional", []string{"5m", "40m", "300m"}, "5m 40m"},
		{"traditional", []string{"2m", "4m", "300m"}, "4m 300m"},
		{"traditional", []string{"0m", "32m"}, "32m 32m"}, // 0m turns buffers off
		{"dynamic", []string{"5m"}, "3m 32m"},
	} {
		b.model, b.lookup = c.model, c.lookup
		out := read(t, edit(t, w, b.state()))
		assert.Equal(t, c.want, out.Get("CABLE_LENGTH", "AZURE", "Ethernet0")+" "+out.Get("CABLE_LENGTH", "AZURE", "Ethernet72"))
		if c.model == "dynamic" {
			assert.Equal(t, "NULL", out.Get("BUFFER_PG", "Ethernet72|3", "profile"))
			assert.Empty(t, slices.DeleteFunc(out.Keys("BUFFER_PROFILE"), func(k string) bool { return !grammar.IsMade(k) }))
			assert.Equal(t, "20000000", out.Get("BUFFER_POOL", grammar.Pool, "size"))
		} else {
			want := "pg_lossless_100000_" + strings.Fields(c.want)[1] + "_profile"
			assert.Equal(t, want, out.Get("BUFFER_PG", "Ethernet72|3", "profile"))
		}
		assert.Nil(t, out.Row("BUFFER_PG", "Ethernet72|3-4"), "the group of the template is stale")
		assert.Equal(t, "ingress_lossy_profile", out.Get("BUFFER_PG", "Ethernet72|0", "profile"))
	}
	fresh := read(t, edit(t, w, ""))
	assert.Equal(t, "40m", fresh.Get("CABLE_LENGTH", "AZURE", "Ethernet72"))
}

// TestMade: settings that the buffer manager makes are in no patch, and rocec predicts them.
func TestMade(t *testing.T) {
	w := wish(t, device(t, rack, "tor1"))
	b := usual("202505")
	b.qos = false
	c := read(t, b.state())
	template(c, b)
	for _, p := range b.ports {
		c.Delete("PORT_QOS_MAP", p, "")
		c.Delete("BUFFER_PG", p+"|3-4", "")
	}
	c.Put(grammar.LookupTable, "100000|40m", "xon_offset", "2496")
	old := string(c.Rows())
	out := edit(t, w, old)
	assert.Equal(t, "pg_lossless_100000_40m_profile", read(t, out).Get("BUFFER_PG", "Ethernet72|3", "profile"))
	assert.Nil(t, read(t, out).Row("BUFFER_PROFILE", "pg_lossless_100000_40m_profile"), "SONiC never removes it")
	assert.NotNil(t, read(t, out).Row("BUFFER_PROFILE", "ingress_lossy_profile"))
	for _, s := range sequence(t, w, old, out) {
		for _, o := range s.Ops {
			assert.NotContains(t, []string{"BUFFER_PG", "BUFFER_PROFILE"}, o.Table)
		}
		assert.Empty(t, s.Drops)
	}
	m := newModel(t, b, old)
	m.run(sequence(t, w, old, out))
	assert.Equal(t, out, string(m.cfg.Rows()))
	assert.Equal(t, map[string]string{
		"pool": grammar.Pool, "size": "49152", "xon": "19456", "xoff": "29696", "dynamic_th": "0", "xon_offset": "2496",
	}, fields(m.cfg.Row("BUFFER_PROFILE", "pg_lossless_100000_40m_profile")))
	m.run(sequence(t, w, out, old))
	assert.Equal(t, old, string(m.cfg.Rows()), "the profile stays on the switch, and the state is as before")
	assert.NotNil(t, m.cfg.Row("BUFFER_PROFILE", "pg_lossless_100000_40m_profile"))
}

func fields(r *grammar.Row) map[string]string {
	out := map[string]string{}
	for _, name := range r.Names() {
		out[name] = r.Get(name)
	}
	return out
}

// TestLengthChanges: up to 202505 a change of the cable length is not an event for the buffer manager. So the group is removed and made
// again, which takes the port down and up. Later releases apply the length without this.
func TestLengthChanges(t *testing.T) {
	for release, flaps := range map[string]int{"202405": 2, "202505": 2, "202511": 0, "202605": 0} {
		for _, asic := range []string{"mellanox", "broadcom"} {
			b := usual(release)
			if b.asic = asic; asic == "broadcom" {
				b.hwsku = "Force10-S6100"
			}
			w := wish(t, device(t, on(release), "tor1"))
			done := edit(t, w, b.state())
			longer := wish(t, device(t, strings.Replace(on(release), `"32m"`, `"120m"`, 1), "tor1"))
			next := edit(t, longer, done)
			assert.Equal(t, "300m", read(t, next).Get("CABLE_LENGTH", "AZURE", "Ethernet72"))
			m := newModel(t, b, done)
			m.run(sequence(t, longer, done, next))
			m.same(next)
			assert.Len(t, m.flaps, flaps, "%s %s", release, asic)
		}
	}
}

// TestNoPFC: from 202505 on, PFC is turned off by an empty text, and before by removing the field. The group, watchdog and marking of the
// port are removed with it.
func TestNoPFC(t *testing.T) {
	for _, release := range []string{"202405", "202505", "202511", "202605"} {
		b := usual(release)
		w := wish(t, device(t, on(release), "tor1"))
		done := edit(t, w, b.state())
		lossy := strings.Replace(strings.Replace(on(release), "lossless = true", "lossless = false", 1), "length = ", "# length = ", 2)
		w = wish(t, device(t, lossy, "tor1"))
		next := edit(t, w, done)
		m := newModel(t, b, done)
		m.run(sequence(t, w, done, next))
		m.same(next)
		c := read(t, next)
		assert.Equal(t, release >= "202505", c.Row("PORT_QOS_MAP", "Ethernet72").Has("pfc_enable"), release)
		assert.Empty(t, c.Get("PORT_QOS_MAP", "Ethernet72", "pfc_enable"))
		assert.Nil(t, c.Row("BUFFER_PG", "Ethernet72|3"))
		assert.NotNil(t, c.Row("BUFFER_PG", "Ethernet72|0"))
		assert.Nil(t, c.Row("PFC_WD", "Ethernet72"))
		assert.NotNil(t, m.cfg.Row("PFC_WD", "GLOBAL"), "nothing removes it")
		assert.Equal(t, "pg_lossless_100000_5m_profile", c.Get("BUFFER_PG", "Ethernet16|3-4", "profile"), "a port outside the fabric")
	}
}

// TestTwoGroups: two lossless groups have separate priority groups, in one row if their numbers are adjacent.
func TestTwoGroups(t *testing.T) {
	text := strings.Replace(rack, `cos_group "cnp"`, `cos_group "train" {
  cos      = 4
  dscp     = [34]
  lossless = true
  ecn {
    min         = 150000
    max         = 1500000
    probability = 100
  }
}

roce "train" {
  version   = 2
  cos_group = cos_group.train
  cnp       = cos_group.cnp
  members   = [host.store]
}

cos_group "cnp"`, 1)
	d := device(t, text, "tor1")
	b := usual("202505")
	out := read(t, edit(t, wish(t, d), b.state()))
	assert.Equal(t, "3,4", out.Get("PORT_QOS_MAP", "Ethernet0", "pfc_enable"))
	assert.Equal(t, "3,4", out.Get("PORT_QOS_MAP", "Ethernet0", "pfcwd_sw_enable"))
	assert.Equal(t, "3", out.Get("TC_TO_PRIORITY_GROUP_MAP", "ROCEC", "3"))
	assert.Equal(t, "4", out.Get("TC_TO_PRIORITY_GROUP_MAP", "ROCEC", "4"))
	assert.Equal(t, "0", out.Get("TC_TO_PRIORITY_GROUP_MAP", "ROCEC", "5"))
	assert.Equal(t, "pg_lossless_100000_5m_profile", out.Get("BUFFER_PG", "Ethernet0|3-4", "profile"))
	assert.Equal(t, "AZURE_LOSSLESS", out.Get("QUEUE", "Ethernet0|4", "wred_profile"))
	far := strings.Replace(text, "cos      = 4", "cos      = 5", 1)
	out = read(t, edit(t, wish(t, device(t, far, "tor1")), b.state()))
	assert.NotNil(t, out.Row("BUFFER_PG", "Ethernet0|3"))
	assert.NotNil(t, out.Row("BUFFER_PG", "Ethernet0|5"))
	assert.Nil(t, out.Row("BUFFER_PG", "Ethernet0|3-4"))
}

// TestMarksByRelease: two sets of thresholds are two profiles from 202511 on, and are refused before.
func TestMarksByRelease(t *testing.T) {
	text := strings.Replace(rack, `cos_group "cnp"`, `cos_group "train" {
  cos  = 4
  dscp = [34]
  ecn {
    min         = 300000
    max         = 3000000
    probability = 50
  }
}

roce "train" {
  version   = 2
  cos_group = cos_group.train
  cnp       = cos_group.cnp
  members   = [host.store]
}

cos_group "cnp"`, 1)
	for _, release := range []string{"202205", "202505", "202511", "202605"} {
		d := device(t, strings.Replace(text, "202505", release, 1), "tor1")
		w, ds := sonic.For(d)
		if release < "202511" {
			require.True(t, ds.HasErrors())
			assert.Equal(t, "sonic-marking", ds[0].Code)
			continue
		}
		require.Empty(t, ds)
		out := read(t, edit(t, w, usual(release).state()))
		assert.Equal(t, "ROCEC", out.Get("QUEUE", "Ethernet0|3", "wred_profile"))
		assert.Equal(t, "ROCEC-2", out.Get("QUEUE", "Ethernet0|4", "wred_profile"))
		assert.Equal(t, "300000", out.Get("WRED_PROFILE", "ROCEC-2", "green_min_threshold"))
		assert.Equal(t, "1048576", out.Get("WRED_PROFILE", "AZURE_LOSSLESS", "green_min_threshold"), "rocec does not own it")
	}
}

// TestLeft: a port that is no longer in the fabric loses the references to rocec's objects, and keeps the rest.
func TestLeft(t *testing.T) {
	b := usual("202505")
	done := edit(t, wish(t, device(t, rack, "tor1")), b.state())
	without := strings.Replace(strings.Replace(rack, "store[1-4]", "store[1-3]", 1), "store[3-4]", "store3", 1)
	w := wish(t, device(t, strings.Replace(without, "Ethernet[72,80]", "Ethernet72", 1), "tor1"))
	next := edit(t, w, done)
	c := read(t, next)
	assert.Equal(t, map[string]string{"pfc_enable": "", "pfcwd_sw_enable": ""}, fields(c.Row("PORT_QOS_MAP", "Ethernet80")))
	assert.Nil(t, c.Row("QUEUE", "Ethernet80|3"))
	assert.Nil(t, c.Row("BUFFER_PG", "Ethernet80|3"))
	assert.Nil(t, c.Row("PFC_WD", "Ethernet80"))
	assert.Equal(t, "40m", c.Get("CABLE_LENGTH", "AZURE", "Ethernet80"))
	assert.Equal(t, "up", c.Get("PORT", "Ethernet80", "admin_status"))
	m := newModel(t, b, done)
	m.run(sequence(t, w, done, next))
	m.same(next)
	assert.Equal(t, next, edit(t, w, next))
}

// TestAlias: ports may have the names of the front panel, which the model translates.
func TestAlias(t *testing.T) {
	text := strings.Replace(rack, "tor1:Ethernet[72,80]", "tor1:etp[10-11]", 1)
	d := device(t, text, "tor1")
	old := usual("202505").state()
	out := edit(t, wish(t, d), old)
	assert.Equal(t, edit(t, wish(t, device(t, rack, "tor1")), old), out)
	s := sonic.Read(d, []byte(out))
	assert.Equal(t, uint8(1<<3), s.Port("Ethernet80").Sends)
	got, says := codes(t, wish(t, device(t, strings.Replace(text, "etp[10-11]", "etp[8-9]", 1), "tor1")), old)
	assert.Contains(t, got, "sonic-port", says)
	assert.Contains(t, says, "has no port Ethernet56")
}

// TestScript: words with a bar are quoted, and a drop lists the groups that stay.
func TestScript(t *testing.T) {
	s := grammar.Stage{Drops: []grammar.Drop{
		{Port: "Ethernet0", Keep: []string{"3", "5-6"}}, {Port: "Ethernet4"},
	}}
	assert.Contains(t, s.Script(), "drop Ethernet0 3 5-6 || exit\ndrop Ethernet4 || exit\n")
	assert.Equal(t, `a 'b|c' 'it'\''s' ''`, grammar.Command{"a", "b|c", "it's", ""}.String())
}

// TestRemembered: up to 202411, the buffer manager restores the groups that a port had before at the next event. The group of another
// priority is added, and the restored one is removed.
func TestRemembered(t *testing.T) {
	for _, release := range []string{"202205", "202411", "202505"} {
		b := usual(release)
		b.asic, b.hwsku = "broadcom", "Force10-S6100"
		four := strings.Replace(on(release), "cos      = 3", "cos      = 4", 1)
		lossy := strings.Replace(strings.Replace(four, "lossless = true", "lossless = false", 1), "length = ", "# length = ", 2)
		m := newModel(t, b, b.state())
		for _, text := range []string{four, lossy, on(release)} {
			w := wish(t, device(t, text, "tor1"))
			next := edit(t, w, string(m.cfg.Rows()))
			m.run(sequence(t, w, string(m.cfg.Rows()), next))
			m.same(next)
		}
		assert.Nil(t, m.cfg.Row("BUFFER_PG", "Ethernet0|4"), release)
		assert.NotNil(t, m.cfg.Row("BUFFER_PG", "Ethernet0|3"), release)
	}
}

// TestMissing: if only a group is missing, the port gets the event that makes the buffer manager add it.
func TestMissing(t *testing.T) {
	b := usual("202505")
	w := wish(t, device(t, rack, "tor1"))
	done := read(t, edit(t, w, b.state()))
	done.Delete("BUFFER_PG", "Ethernet72|3", "")
	old := string(done.Rows())
	next := edit(t, w, old)
	steps := sequence(t, w, old, next)
	require.Len(t, steps, 1)
	assert.Equal(t, "config interface shutdown Ethernet72 || exit\nconfig interface startup Ethernet72 || exit\n", steps[0].Script())
	assert.Equal(t, []string{"Ethernet72"}, steps[0].Ports)
	m := newModel(t, b, old)
	m.run(steps)
	m.same(next)
}

// TestOrder: the order of declarations in a fabric changes nothing.
func TestOrder(t *testing.T) {
	blocks := strings.Split(strings.TrimSpace(rack), "\n\n")
	first := edit(t, wish(t, device(t, rack, "tor1")), "")
	slices.Reverse(blocks)
	assert.Equal(t, first, edit(t, wish(t, device(t, strings.Join(blocks, "\n\n"), "tor1")), ""))
	for range 5 {
		assert.Equal(t, first, edit(t, wish(t, device(t, rack, "tor1")), ""), "the same every time")
	}
}

// TestMoves: a value that moves from one port to another needs two patches, since one patch would be a "move", which no entry of the
// allow-list permits.
func TestMoves(t *testing.T) {
	b := usual("202505")
	b.watched = ""
	done := edit(t, wish(t, device(t, rack, "tor1")), b.state())
	w := wish(t, device(t, strings.Replace(rack, "Ethernet[0,8]", "Ethernet[8,16]", 1), "tor1"))
	next := edit(t, w, done)
	m := newModel(t, b, done)
	steps := sequence(t, w, done, next)
	m.run(steps)
	m.same(next)
	assert.Nil(t, m.cfg.Row("PFC_WD", "Ethernet0"))
	assert.NotNil(t, m.cfg.Row("PFC_WD", "Ethernet16"))
	watch := 0
	for _, s := range steps {
		if s.Doc == "watchdogs" {
			watch++
			assert.Empty(t, s.Cmds)
		}
	}
	assert.Equal(t, 2, watch)
}

// TestInTheWay: a lossy profile is removed from a group that becomes lossless, and stays on other groups.
func TestInTheWay(t *testing.T) {
	for _, model := range []string{"traditional", "dynamic"} {
		old := change("202505", func(c *grammar.Config) {
			c.Put("DEVICE_METADATA", "localhost", "buffer_model", model)
			c.Put("BUFFER_PG", "Ethernet0|3-4", "profile", "ingress_lossy_profile")
			c.Put("BUFFER_PG", "Ethernet8|5-6", "profile", "ingress_lossy_profile")
			c.Delete("BUFFER_PG", "Ethernet8|3-4", "")
		})
		out := read(t, edit(t, wish(t, device(t, rack, "tor1")), old))
		assert.Nil(t, out.Row("BUFFER_PG", "Ethernet0|3-4"), model)
		assert.NotNil(t, out.Row("BUFFER_PG", "Ethernet0|3"), model)
		assert.NotNil(t, out.Row("BUFFER_PG", "Ethernet8|5-6"), model)
	}
}
