package read_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/sonic/read"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

type (
	fields = map[string]string
	tables = map[string]map[string]fields
)

// usual is a switch of two ports whose priority 3 is lossless.
func usual() tables {
	dscp := fields{}
	for v := range 64 {
		dscp[fmt.Sprint(v)] = "0"
	}
	dscp["26"], dscp["48"] = "3", "6"
	one := fields{}
	for v := range 8 {
		one[fmt.Sprint(v)] = fmt.Sprint(v)
	}
	port := fields{"lanes": "0", "speed": "100000", "mtu": "9100", "admin_status": "up"}
	qos := fields{
		"dscp_to_tc_map": "M", "tc_to_queue_map": "M", "tc_to_pg_map": "M", "pfc_to_queue_map": "M", "pfc_enable": "3", "pfcwd_sw_enable": "3",
	}
	return tables{
		"DEVICE_METADATA": {"localhost": {
			"hwsku": "ACS-MSN2700", "platform": "x86_64-mlnx_msn2700-r0", "buffer_model": "traditional", "hostname": "leaf1",
		}},
		"VERSIONS":       {"DATABASE": {"VERSION": "version_202505_01"}},
		"PORT":           {"Ethernet0": port, "Ethernet4": port},
		"CABLE_LENGTH":   {"AZURE": {"Ethernet0": "5m", "Ethernet4": "40m"}},
		"DSCP_TO_TC_MAP": {"M": dscp}, "TC_TO_QUEUE_MAP": {"M": one}, "MAP_PFC_PRIORITY_TO_QUEUE": {"M": one},
		"TC_TO_PRIORITY_GROUP_MAP": {"M": {"0": "0", "3": "3"}},
		"PORT_QOS_MAP":             {"Ethernet0": qos, "Ethernet4": qos},
		"SCHEDULER":                {"roce": {"type": "DWRR", "weight": "60"}, "cnp": {"type": "STRICT"}},
		"WRED_PROFILE": {"W": {
			"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "100000", "green_max_threshold": "400000",
			"green_drop_probability": "20",
		}},
		"QUEUE": {
			"Ethernet0|3": {"scheduler": "roce", "wred_profile": "W"}, "Ethernet0|6": {"scheduler": "cnp"},
			"Ethernet4|3": {"scheduler": "roce", "wred_profile": "W"}, "Ethernet4|6": {"scheduler": "cnp"},
		},
		"BUFFER_POOL": {
			"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "9000000", "xoff": "300000"},
			"egress_lossless_pool":  {"type": "egress", "mode": "static", "size": "16000000"},
		},
		"BUFFER_PROFILE": {
			"in": {
				"pool": "ingress_lossless_pool", "size": "60000", "xon": "20000", "xon_offset": "3000", "xoff": "40000", "dynamic_th": "-2",
			},
			"out": {"pool": "egress_lossless_pool", "size": "0", "static_th": "16000000"},
		},
		"BUFFER_PG":    {"Ethernet0|3": {"profile": "in"}, "Ethernet4|3": {"profile": "in"}},
		"BUFFER_QUEUE": {"Ethernet0|3": {"profile": "out"}, "Ethernet4|3": {"profile": "out"}},
		"PFC_WD": {
			"GLOBAL":    {"POLL_INTERVAL": "200"},
			"Ethernet0": {"action": "drop", "detection_time": "200", "restoration_time": "400"},
			"Ethernet4": {"action": "drop", "detection_time": "200", "restoration_time": "400"},
		},
	}
}

func spell(v any) []byte {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err)
	}
	return b
}

func understand(text []byte) *target.Understood {
	return read.Understand(target.Identity{}, map[string][]byte{"config_db.json": text})
}

func detail(t *testing.T, u *target.Understood, port string) ir.PortDetail {
	t.Helper()
	p := u.Settings.Port(port)
	require.NotNil(t, p, port)
	return p.Detail.Get()
}

// TestUsual: each value of a whole configuration.
func TestUsual(t *testing.T) {
	u := understand(spell(usual()))
	require.Empty(t, u.Coverage.Not)
	assert.True(t, u.Coverage.RoCE())
	assert.Equal(t, ir.Stored, u.Settings.Moment)
	assert.Equal(t, ir.Of("202505"), u.Settings.System.Release)
	assert.Equal(t, ir.Of("ACS-MSN2700"), u.Settings.System.SKU)
	p, d := u.Settings.Port("Ethernet0"), detail(t, u, "Ethernet0")
	assert.Equal(t, ir.Trust{DSCP: true}, p.Trust)
	assert.Equal(t, int8(3), p.DSCP[26])
	assert.Equal(t, uint8(8), p.Sends)
	assert.Equal(t, uint8(8), p.Obeys)
	assert.Equal(t, 40000, p.Headroom)
	assert.Equal(t, [8]int8{0, 1, 2, 3, 4, 5, 6, 7}, d.Queue)
	assert.Equal(t, [8]int8{0, -1, -1, 3, -1, -1, -1, -1}, d.Group)
	assert.Equal(t, ir.GroupSettings{
		Buffer: ir.Of(60000), Xon: ir.Of(20000), XonOffset: ir.Of(3000), Headroom: ir.Of(40000),
		Limit: ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: -2}), Pool: ir.Of("ingress_lossless_pool"), Lossless: ir.Of(true),
	}, d.Groups[3])
	assert.Equal(t, ir.GroupSettings{Lossless: ir.ByDefault(false)}, d.Groups[4])
	assert.Equal(t, ir.QueueSettings{
		Strict: ir.Of(false), Share: ir.Of(60), MinRate: ir.ByDefault[int64](0), MaxRate: ir.ByDefault[int64](0), ECN: ir.Of(true),
		MarkMin: ir.Of(100000), MarkMax: ir.Of(400000), Probability: ir.Of(20), Unmarkable: ir.Of(ir.Dropped), Drop: ir.Of(false),
		DropMin: ir.Of(100000), DropMax: ir.Of(400000), Limit: ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 16000000}),
		Pool: ir.Of("egress_lossless_pool"),
	}, d.Queues[3])
	assert.Equal(t, ir.Of(true), d.Queues[6].Strict)
	assert.Equal(t, ir.ByDefault(false), d.Queues[6].ECN)
	assert.Equal(t, ir.ByDefault[int64](0), d.Shaper)
	assert.Equal(t, ir.ByDefault(false), d.AsymmetricPFC)
	assert.Equal(t, ir.ByDefault(false), d.RewriteDSCP)
	assert.Equal(t, ir.Of(int64(100_000_000_000)), d.Speed)
	assert.Equal(t, ir.Of(5), d.Cable)
	assert.Equal(t, ir.Of(9100), d.MTU)
	assert.Equal(t, ir.WatchdogSettings{
		Action: ir.Of(ir.WatchdogDrop), Watches: ir.Of(uint8(8)), Poll: ir.Of(200 * time.Millisecond), Detect: ir.Of(200 * time.Millisecond),
		Restore: ir.Of(400 * time.Millisecond),
	}, d.Watchdog)
	assert.Equal(t, map[string]ir.Pool{
		"ingress_lossless_pool": {Ingress: true, Size: ir.Of(9000000), Mode: ir.Of(ir.PoolDynamic), Shared: ir.Of(300000)},
		"egress_lossless_pool":  {Egress: true, Size: ir.Of(16000000), Mode: ir.Of(ir.PoolStatic), Shared: ir.ByDefault(0)},
	}, u.Settings.Pools)
	assert.Equal(t, 40, detail(t, u, "Ethernet4").Cable.Value)
}

// TestChanges: each case changes the usual configuration once, and has the resulting value.
func TestChanges(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(c tables)
		check  func(t *testing.T, u *target.Understood, d ir.PortDetail)
	}{
		{
			"nothing enables WRED: SAI's default is off", func(c tables) { delete(c["WRED_PROFILE"]["W"], "wred_green_enable") },
			func(t *testing.T, _ *target.Understood, d ir.PortDetail) {
				assert.Equal(t, ir.ByDefault(false), d.Queues[3].ECN)
				assert.Equal(t, ir.ByDefault(ir.Passed), d.Queues[3].Unmarkable)
			},
		},
		{
			"WRED is off, and ECN on: marks are unknown", func(c tables) { c["WRED_PROFILE"]["W"]["wred_green_enable"] = "false" },
			func(t *testing.T, _ *target.Understood, d ir.PortDetail) { assert.False(t, d.Queues[3].ECN.Known()) },
		},
		{
			"WRED without ECN drops", func(c tables) { delete(c["WRED_PROFILE"]["W"], "ecn") },
			func(t *testing.T, _ *target.Understood, d ir.PortDetail) {
				assert.Equal(t, ir.ByDefault(false), d.Queues[3].ECN)
				assert.Equal(t, ir.Of(true), d.Queues[3].Drop)
				assert.Equal(t, ir.Of(100000), d.Queues[3].DropMin)
			},
		},
		{
			"no probability", func(c tables) { delete(c["WRED_PROFILE"]["W"], "green_drop_probability") },
			func(t *testing.T, _ *target.Understood, d ir.PortDetail) {
				assert.Equal(t, ir.ByDefault(100), d.Queues[3].Probability)
			},
		},
		{
			"thresholds that no branch has", func(c tables) { c["WRED_PROFILE"]["W"]["ecn_green_min_threshold"] = "1000" },
			func(t *testing.T, u *target.Understood, d ir.PortDetail) {
				assert.False(t, d.Queues[3].ECN.Known())
				require.Len(t, u.Coverage.Not, 1)
			},
		},
		{
			"a static pool", func(c tables) { c["BUFFER_POOL"]["ingress_lossless_pool"]["mode"] = "static" },
			func(t *testing.T, u *target.Understood, d ir.PortDetail) {
				assert.Equal(t, ir.LimitAlpha, d.Groups[3].Limit.Value.Kind, "the limit in the profile, whatever the mode of its pool is")
				assert.Equal(t, ir.Of(ir.PoolStatic), u.Settings.Pools["ingress_lossless_pool"].Mode)
			},
		},
		{
			"rates", func(c tables) { c["SCHEDULER"]["roce"]["pir"] = "1000"; c["SCHEDULER"]["roce"]["cir"] = "10" },
			func(t *testing.T, _ *target.Understood, d ir.PortDetail) {
				assert.Equal(t, ir.Of(int64(8000)), d.Queues[3].MaxRate)
				assert.Equal(t, ir.Of(int64(80)), d.Queues[3].MinRate)
			},
		},
		{"a rate in packets", func(c tables) {
			c["SCHEDULER"]["roce"]["pir"] = "1000"
			c["SCHEDULER"]["roce"]["meter_type"] = "packets"
		}, func(t *testing.T, u *target.Understood, d ir.PortDetail) {
			assert.False(t, d.Queues[3].MaxRate.Known())
			assert.Equal(t, 1, u.Coverage.Aside["a rate in packets, which has no equivalent in bits"])
		}},
		{"a port's scheduler", func(c tables) {
			c["SCHEDULER"]["slow"] = fields{"type": "STRICT", "pir": "125000"}
			c["PORT_QOS_MAP"]["Ethernet0"]["scheduler"] = "slow"
		}, func(t *testing.T, _ *target.Understood, d ir.PortDetail) {
			assert.Equal(t, ir.Of(int64(1_000_000)), d.Shaper)
		}},
		{
			"asymmetric PFC", func(c tables) { c["PORT"]["Ethernet0"]["pfc_asym"] = "on" },
			func(t *testing.T, _ *target.Understood, d ir.PortDetail) {
				assert.Equal(t, ir.Of(true), d.AsymmetricPFC)
			},
		},
		{
			"0 m of cable", func(c tables) { c["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "0m"; delete(c["BUFFER_PG"], "Ethernet0|3") },
			func(t *testing.T, u *target.Understood, d ir.PortDetail) {
				assert.Equal(t, ir.Of(0), d.Cable)
				assert.Equal(t, ir.ByDefault(false), d.Groups[3].Lossless, "the buffer manager makes no group")
				assert.Zero(t, u.Settings.Port("Ethernet0").Sends)
			},
		},
		{
			"a group that the buffer manager will make", func(c tables) { delete(c, "BUFFER_PG") },
			func(t *testing.T, u *target.Understood, d ir.PortDetail) {
				assert.False(t, d.Groups[3].Lossless.Known())
				assert.Equal(t, uint8(8), u.Settings.Port("Ethernet0").Sends)
			},
		},
		{"computed headroom", func(c tables) {
			c["BUFFER_PG"]["Ethernet0|3"]["profile"] = "NULL"
			c["DEFAULT_LOSSLESS_BUFFER_PARAMETER"] = map[string]fields{"AZURE": {"default_dynamic_th": "0"}}
		}, func(t *testing.T, _ *target.Understood, d ir.PortDetail) {
			assert.Equal(t, ir.GroupSettings{
				Lossless: ir.Of(true), Pool: ir.ByDefault("ingress_lossless_pool"), Limit: ir.Of(ir.Limit{Kind: ir.LimitAlpha}),
			}, d.Groups[3])
		}},
		{
			"a pause that stops another queue", func(c tables) { c["MAP_PFC_PRIORITY_TO_QUEUE"]["M"] = fields{"3": "4"} },
			func(t *testing.T, u *target.Understood, _ ir.PortDetail) {
				assert.Zero(t, u.Settings.Port("Ethernet0").Obeys)
			},
		},
		{
			"no watchdog", func(c tables) { delete(c, "PFC_WD") },
			func(t *testing.T, _ *target.Understood, d ir.PortDetail) {
				assert.Equal(t, ir.ByDefault(ir.WatchdogOff), d.Watchdog.Action)
			},
		},
		{
			"a watchdog without an action", func(c tables) { delete(c["PFC_WD"]["Ethernet0"], "action"); delete(c["PFC_WD"], "GLOBAL") },
			func(t *testing.T, _ *target.Understood, d ir.PortDetail) {
				assert.Equal(t, ir.ByDefault(ir.WatchdogDrop), d.Watchdog.Action)
				assert.Equal(t, ir.ByDefault(100*time.Millisecond), d.Watchdog.Poll)
			},
		},
		{"times that grow with the ports", func(c tables) {
			delete(c, "PFC_WD")
			c["DEVICE_METADATA"]["localhost"]["default_pfcwd_status"] = "enable"
			for n := range 64 {
				c["PORT"][fmt.Sprintf("Ethernet%d", 4*n)] = c["PORT"]["Ethernet0"]
			}
		}, func(t *testing.T, _ *target.Understood, d ir.PortDetail) {
			assert.Equal(t, ir.ByDefault(400*time.Millisecond), d.Watchdog.Detect)
			assert.False(t, d.Watchdog.Action.Known())
		}},
		{"rewriting", func(c tables) {
			c["TC_TO_DSCP_MAP"] = map[string]fields{"R": {"3": "26"}}
			c["PORT_QOS_MAP"]["Ethernet0"]["tc_to_dscp_map"] = "R"
		}, func(t *testing.T, _ *target.Understood, d ir.PortDetail) { assert.Equal(t, ir.Of(true), d.RewriteDSCP) }},
		{
			"two rows hold a queue", func(c tables) { c["QUEUE"]["Ethernet0|2-4"] = fields{"scheduler": "cnp"} },
			func(t *testing.T, u *target.Understood, d ir.PortDetail) {
				assert.False(t, d.Queues[3].Strict.Known())
				assert.Equal(t, ir.Of(true), d.Queues[2].Strict)
				assert.Len(t, u.Coverage.Not, 3)
			},
		},
		{
			"a reference to nothing", func(c tables) { c["QUEUE"]["Ethernet0|3"]["scheduler"] = "gone" },
			func(t *testing.T, u *target.Understood, d ir.PortDetail) {
				assert.False(t, d.Queues[3].Strict.Known())
				require.Len(t, u.Coverage.Not, 1)
				assert.Equal(t, "QUEUE|Ethernet0|3 scheduler", u.Coverage.Not[0].Row)
				assert.Equal(t, "it names a missing row of SCHEDULER", u.Coverage.Not[0].Why)
				assert.Greater(t, u.Coverage.Not[0].At.Start.Line, 1)
			},
		},
		{
			"an unknown table", func(c tables) { c["AQM"] = map[string]fields{"Ethernet0": {"ecn": "x"}} },
			func(t *testing.T, u *target.Understood, _ ir.PortDetail) { require.Len(t, u.Coverage.Not, 1) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var own tables // values apart
			require.NoError(t, json.Unmarshal(spell(usual()), &own))
			c.change(own)
			u := understand(spell(own))
			c.check(t, u, detail(t, u, "Ethernet0"))
		})
	}
}

// flat writes tables as rows of a database.
func flat(c tables, row func(fields) any) map[string]any {
	out := map[string]any{}
	for table, rows := range c {
		for key, f := range rows {
			out[table+"|"+key] = row(f)
		}
	}
	return out
}

// typed returns a row as a dump of the database prints it.
func typed(f fields) any { return map[string]any{"type": "hash", "value": f, "ttl": -0.001} }

// joined has one row for both ports.
func joined(c tables) tables {
	for _, name := range []string{"PORT_QOS_MAP", "QUEUE", "BUFFER_PG", "BUFFER_QUEUE"} {
		for key, f := range maps.Clone(c[name]) {
			if rest, ok := strings.CutPrefix(key, "Ethernet0"); ok {
				c[name]["Ethernet0,Ethernet4"+rest] = f
				delete(c[name], key)
				delete(c[name], "Ethernet4"+rest)
			}
		}
	}
	return c
}

// TestForms: all forms that people keep have the same settings.
func TestForms(t *testing.T) {
	want := understand(spell(usual())).Settings
	brackets := usual()
	to := map[string]string{
		"dscp_to_tc_map": "DSCP_TO_TC_MAP", "tc_to_queue_map": "TC_TO_QUEUE_MAP", "scheduler": "SCHEDULER", "wred_profile": "WRED_PROFILE",
		"profile": "BUFFER_PROFILE", "pool": "BUFFER_POOL",
	}
	for _, rows := range brackets {
		for key, f := range rows {
			own := fields{}
			for name, text := range f {
				if table := to[name]; table != "" {
					text = "[" + table + "|" + text + "]"
				}
				own[name] = text
			}
			rows[key] = own
		}
	}
	qos, rest := usual(), usual()
	for name := range qos {
		if strings.HasPrefix(name, "BUFFER") || name == "CABLE_LENGTH" {
			delete(qos, name)
		} else {
			delete(rest, name)
		}
	}
	var operations []any
	for key, row := range flat(usual(), func(f fields) any { return f }) {
		operations = append(operations, map[string]any{key: row, "OP": "SET"})
	}
	operations = append(operations, map[string]any{"QUEUE|Ethernet0|2": fields{"scheduler": "cnp"}, "OP": "SET"},
		map[string]any{"QUEUE|Ethernet0|2": fields{}, "OP": "DEL"})
	applied := usual()
	for name, rows := range applied { // the application database has its own names of buffers and ports
		if name == "PORT" || strings.HasPrefix(name, "BUFFER") {
			own := map[string]fields{}
			for key, f := range rows {
				own[strings.ReplaceAll(key, "|", ":")] = f
			}
			delete(applied, name)
			applied[name] = own
		}
	}
	appl := map[string]any{}
	for table, rows := range applied {
		for key, f := range rows {
			if table == "PORT" || strings.HasPrefix(table, "BUFFER") {
				appl[table+"_TABLE:"+key] = f
			} else {
				appl[table+"|"+key] = f
			}
		}
	}
	lines := []string{}
	for key, row := range flat(usual(), func(f fields) any { return f }) {
		for field, text := range row.(fields) {
			lines = append(lines, fmt.Sprintf("%s %s %q", key, field, text))
		}
	}
	for name, contents := range map[string]map[string][]byte{
		"JSON":           {"config_db.json": spell(usual())},
		"one line":       {"config_db.json": []byte(strings.ReplaceAll(string(spell(usual())), "\n", " "))},
		"CRLF and BOM":   {"config_db.json": []byte("\xef\xbb\xbf" + strings.ReplaceAll(string(spell(usual())), "\n", "\r\n"))},
		"flat dump":      {"dump.json": spell(flat(usual(), func(f fields) any { return f }))},
		"typed dump":     {"CONFIG_DB.json": spell(flat(usual(), typed))},
		"application":    {"APPL_DB.json": spell(appl)},
		"operations":     {"qos.config.json": spell(operations)},
		"list":           {"qos.json": spell([]any{qos, rest})},
		"pieces":         {"qos.json": spell(qos), "buffers.json": spell(rest)},
		"brackets":       {"config_db.json": spell(brackets)},
		"lists of ports": {"config_db.json": spell(joined(usual()))},
		"rows":           {"sonic/running": []byte(strings.Join(lines, "\n") + "\n")},
	} {
		u := read.Understand(target.Identity{}, contents)
		assert.Empty(t, u.Coverage.Not, name)
		for _, port := range []string{"Ethernet0", "Ethernet4"} {
			assert.Equal(t, want.Port(port).Detail, u.Settings.Port(port).Detail, "%s %s", name, port)
		}
		assert.True(t, want.Equal(u.Settings), name)
		assert.Equal(t, want.Pools, u.Settings.Pools, name)
		assert.Equal(t, want.System, u.Settings.System, name)
		assert.Equal(t, name == "brackets", len(u.Notes) == 1, name)
		moment := map[string]ir.Moment{"list": ir.MomentUnknown, "pieces": ir.MomentUnknown}
		for _, running := range []string{"flat dump", "typed dump", "application", "operations", "rows"} {
			moment[running] = ir.Running
		}
		if m, ok := moment[name]; ok {
			assert.Equal(t, m, u.Settings.Moment, name)
		} else {
			assert.Equal(t, ir.Stored, u.Settings.Moment, name)
		}
	}
}

// TestPieces: a value that a piece lacks is unknown, and not the default.
func TestPieces(t *testing.T) {
	c := usual()
	for name := range c {
		if !strings.HasPrefix(name, "BUFFER") {
			delete(c, name)
		}
	}
	u := read.Understand(target.Identity{}, map[string][]byte{"buffers.json": spell(c)})
	require.Empty(t, u.Coverage.Not)
	assert.Nil(t, u.Settings.Rest)
	p, d := u.Settings.Port("Ethernet0"), detail(t, u, "Ethernet0")
	assert.False(t, p.TrustKnown)
	assert.False(t, p.PausesKnown)
	assert.False(t, d.Shaper.Known())
	assert.False(t, d.Watchdog.Action.Known())
	assert.False(t, d.Queues[3].ECN.Known())
	assert.Equal(t, ir.Of(40000), d.Groups[3].Headroom)
	assert.False(t, d.Speed.Known())
}

// TestLookup: a profile that the buffer manager makes has the sizes of the lookup file.
func TestLookup(t *testing.T) {
	c := usual()
	c["BUFFER_PG"]["Ethernet0|3"] = fields{"profile": "pg_lossless_100000_5m_profile"}
	lookup := "# PG lossless profiles.\n# speed cable size xon xoff threshold xon_offset\n100000 5m 34816 18432 16384 0 1000\nslip\n"
	u := read.Understand(target.Identity{}, map[string][]byte{"config_db.json": spell(c), "hwsku/pg_profile_lookup.ini": []byte(lookup)})
	g := detail(t, u, "Ethernet0").Groups[3]
	assert.Equal(t, ir.Of(34816), g.Buffer)
	assert.Equal(t, ir.Of(16384), g.Headroom)
	assert.Equal(t, ir.Of(1000), g.XonOffset)
	assert.Equal(t, 16384, u.Settings.Port("Ethernet0").Headroom)
	require.Len(t, u.Coverage.Not, 1)
	assert.Equal(t, "hwsku/pg_profile_lookup.ini", u.Coverage.Not[0].At.Filename)
	assert.Equal(t, 4, u.Coverage.Not[0].At.Start.Line)
}

// TestWhere: a value has the place of its field.
func TestWhere(t *testing.T) {
	text := spell(usual())
	u := understand(text)
	for _, c := range []struct {
		f     ir.Field
		index int
		want  string
	}{
		{ir.FieldHeadroom, 3, `"40000"`},
		{ir.FieldShare, 3, `"60"`},
		{ir.FieldMarking, 3, `"100000"`},
		{ir.FieldDSCP, 26, `"3"`},
		{ir.FieldPauses, 0, `"3"`},
		{ir.FieldCable, 0, `"5m"`},
		{ir.FieldSystem, 0, `"ACS-MSN2700"`},
		{ir.FieldQueueLimit, 3, `"16000000"`},
	} {
		at, ok := u.Where("Ethernet0", c.f, c.index)
		require.True(t, ok, c.f)
		assert.Equal(t, c.want, string(text[at.Start.Byte:at.End.Byte]), c.f)
		assert.Equal(t, strings.Count(string(text[:at.Start.Byte]), "\n")+1, at.Start.Line)
	}
	for _, f := range ir.Fields() {
		for _, index := range []int{-1, 0, 7, 64} {
			_, _ = u.Where("Ethernet0", f, index)
			_, ok := u.Where("gone", f, index)
			assert.True(t, !ok || f == ir.FieldSystem, f)
		}
	}
}

// TestOrder: the order of keys, other tables and comments change nothing.
func TestOrder(t *testing.T) {
	want := understand(spell(usual()))
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var b strings.Builder
		c := usual()
		c["VLAN"] = map[string]fields{"Vlan10": {"vlanid": "10"}}
		c["FLEX_COUNTER_TABLE"] = map[string]fields{"PORT": {"FLEX_COUNTER_STATUS": "enable"}, "QUEUE": {"FLEX_COUNTER_STATUS": "enable"}}
		shuffled(&b, r, c)
		u := understand([]byte(b.String()))
		require.Empty(t, u.Coverage.Not)
		require.True(t, want.Settings.Equal(u.Settings))
		require.Equal(t, want.Coverage.Means, u.Coverage.Means)
		require.Equal(t, want.Coverage.Rows+3, u.Coverage.Rows)
	}
}

func shuffled(b *strings.Builder, r *rand.Rand, c tables) {
	each(b, r, c, func(rows map[string]fields) {
		each(b, r, rows, func(f fields) {
			each(b, r, f, func(text string) { fmt.Fprintf(b, "%q", text) })
		})
	})
}

func each[V any](b *strings.Builder, r *rand.Rand, m map[string]V, do func(V)) {
	keys := []string{}
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	b.WriteString("{")
	for i, key := range keys {
		if i > 0 {
			b.WriteString(", ")
		}
		if r.IntN(20) == 0 {
			b.WriteString("// of somebody\n")
		}
		fmt.Fprintf(b, "%q: ", key)
		do(m[key])
	}
	b.WriteString("}")
}

// TestManyPorts: 10,000 ports are read in less than half a second of processor time, and equal ports share their settings.
func TestManyPorts(t *testing.T) {
	c := usual()
	for n := range 10_000 {
		name := fmt.Sprintf("Ethernet%d", n)
		c["PORT"][name], c["PORT_QOS_MAP"][name] = c["PORT"]["Ethernet0"], c["PORT_QOS_MAP"]["Ethernet0"]
		c["CABLE_LENGTH"]["AZURE"][name], c["PFC_WD"][name] = "5m", c["PFC_WD"]["Ethernet0"]
		c["QUEUE"][name+"|3"], c["QUEUE"][name+"|6"] = c["QUEUE"]["Ethernet0|3"], c["QUEUE"]["Ethernet0|6"]
		c["BUFFER_PG"][name+"|3"], c["BUFFER_QUEUE"][name+"|3"] = c["BUFFER_PG"]["Ethernet0|3"], c["BUFFER_QUEUE"]["Ethernet0|3"]
	}
	text := spell(c)
	var u *target.Understood
	took := targettest.ProcessorTime(t, func() { u = understand(text) })
	t.Logf("%d bytes: %v", len(text), took)
	assert.Less(t, took, 5*time.Second, "half a second on a machine that does nothing else")
	require.Len(t, u.Settings.Ports, 10_000)
	assert.Same(t, u.Settings.Port("Ethernet17"), u.Settings.Port("Ethernet9999"))
	assert.Empty(t, u.Coverage.Not)
}
