package sonic_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/sim"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

// shells are the shells that a switch, or a user who logs in there, may have.
var shells = [][]string{{"dash"}, {"bash", "--posix"}, {"bash"}, {"busybox", "sh"}, {"mksh"}, {"ksh"}}

// found is the input of the query for the state of a switch. An empty text is a missing file.
type found struct {
	data   string // the output of sonic-cfggen
	status int    // its exit status
	build  string // sonic_version.yml
	asic   string // asic.conf of the platform p
	lookup string // pg_profile_lookup.ini of the hwsku h

	most   string     // the maximum number of bytes read of the configuration; empty: the query's own
	shells [][]string // nil: the usual shell and another one in turn, with -whole all
}

// asks counts the queries that have been run.
var asks int

// asked runs the query in shells, whose results must be equal.
func asked(t testing.TB, f found) (out string, failed bool) {
	t.Helper()
	dir := t.TempDir()
	put := func(name, text string, mode os.FileMode) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), mode))
	}
	put("data", f.data, 0o600)
	put("bin/sonic-cfggen", fmt.Sprintf("#!/bin/sh\n[ \"$*\" = '-d --print-data' ] || exit 9\ncat %s/data\necho complaint >&2\nexit %d\n", dir,
		f.status), 0o700)
	for name, text := range map[string]string{"version": f.build, "device/p/asic.conf": f.asic, "device/p/h/pg_profile_lookup.ini": f.lookup} {
		if text != "" {
			put(name, text, 0o600)
		}
	}
	query := wish(t, device(t, rack, "tor1")).File().Live.Cmd
	for _, path := range []string{"/etc/sonic/sonic_version.yml", "/usr/share/sonic/device/", "67108864"} {
		require.Equal(t, 1, strings.Count(query, path), path)
	}
	query = strings.NewReplacer("/etc/sonic/sonic_version.yml", dir+"/version", "/usr/share/sonic/device/", dir+"/device/",
		"67108864", cmp.Or(f.most, "67108864")).Replace(query)
	if f.shells == nil {
		f.shells = shells
		if !*whole {
			f.shells = [][]string{shells[0], shells[1+asks%(len(shells)-1)]}
		}
		asks++
	}
	for i, shell := range f.shells {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // only a query that hangs needs this long
		cmd := exec.CommandContext(ctx, machinetest.Need(t, shell[0]), append(slices.Clone(shell[1:]), "-c", query)...)
		cmd.Env = []string{"PATH=" + dir + "/bin:/usr/bin:/bin", "LANG=C.UTF-8"}
		cmd.Dir = dir
		var b bytes.Buffer
		cmd.Stdout = &b
		err := cmd.Run()
		require.NoError(t, ctx.Err(), "%v", shell)
		cancel()
		if i > 0 {
			require.Equal(t, out, b.String(), "%v", shell)
			require.Equal(t, failed, err != nil, "%v: %v", shell, err)
		}
		out, failed = b.String(), err != nil
	}
	if failed {
		require.Empty(t, out, "an incomplete answer prints nothing")
	}
	return out, failed
}

const build = "build_version: 'SONiC.202505.1-abc'\nasic_type: mellanox\n"

// facts are the rows of build.
const facts = "@version|localhost asic_type \"mellanox\"\n@version|localhost build_version \"SONiC.202505.1-abc\"\n"

// printed returns JSON as sonic-cfggen prints it: four blanks per level, in ASCII.
func printed(t require.TestingT, v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "    ")
	require.NoError(t, e.Encode(v))
	var out strings.Builder
	for _, c := range b.String() {
		if c < 0x80 {
			out.WriteRune(c)
			continue
		}
		unit, err := json.Marshal(string(c))
		require.NoError(t, err)
		if string(unit) == `"`+string(c)+`"` {
			unit = fmt.Appendf(nil, `"\u%04x"`, c)
			if c > 0xffff {
				unit = fmt.Appendf(nil, `"\u%04x\u%04x"`, 0xd800+(c-0x10000)>>10, 0xdc00+(c-0x10000)&0x3ff)
			}
		}
		out.Write(unit[1 : len(unit)-1])
	}
	return out.String()
}

type (
	tables = map[string]rows
	rows   = map[string]fieldsOf
	// fieldsOf returns a map of texts and lists.
	fieldsOf = map[string]any
)

// TestQuery: the query prints the state that rocec compares, in one order.
func TestQuery(t *testing.T) {
	for _, c := range []struct {
		name string
		data tables
		want string
	}{
		{"only other tables", tables{"VLAN": {"Vlan1": {"mtu": "9100"}}}, ""},
		{
			"tables that rocec knows", tables{
				"QUEUE": {"Ethernet10|3": {"scheduler": "b", "wred_profile": "w"}, "Ethernet1|3": {"scheduler": "a"}},
				"VLAN":  {"Vlan1": {"mtu": "9100"}}, "TC_TO_DSCP_MAP": {"AZURE": {"3": "26"}},
			}, "QUEUE|Ethernet10|3 scheduler \"b\"\nQUEUE|Ethernet10|3 wred_profile \"w\"\nQUEUE|Ethernet1|3 scheduler " +
				"\"a\"\nTC_TO_DSCP_MAP|AZURE 3 \"26\"\n",
		},
		{
			"rows without fields",
			tables{"PFC_WD": {"Ethernet0": {}, "Ethernet4": {}}, "VLAN": {"Vlan1": {}}},
			"PFC_WD|Ethernet0\nPFC_WD|Ethernet4\n",
		},
		{"an empty table", tables{"QUEUE": {}, "SCHEDULER": {"s": {"type": "STRICT"}}}, "SCHEDULER|s type \"STRICT\"\n"},
		{"an empty text", tables{"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": ""}}}, "PORT_QOS_MAP|Ethernet0 pfc_enable \"\"\n"},
		{
			"lists", tables{
				"BUFFER_PORT_INGRESS_PROFILE_LIST": {
					"Ethernet0": {"profile_list": []string{"a", "b,", "]"}, "z": "last"},
					"Ethernet4": {"profile_list": []string{}},
				},
				"BUFFER_PORT_EGRESS_PROFILE_LIST": {"Ethernet0": {"profile_list": []string{" a "}}},
			}, "BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0 profile_list [\" a \"]\n" +
				"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0 profile_list [\"a\",\"b,\",\"]\"]\nBUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0 z " +
				"\"last\"\n" +
				"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet4 profile_list []\n",
		},
		{
			"lists of others", tables{
				"BGP_NEIGHBOR": {"10.0.0.1": {"auth": []string{"secret"}}}, "PORT": {"Ethernet0": {"description": []string{"secret"}, "mtu": "9100"}},
				"VLAN": {"Vlan1": {"dhcp_servers": []string{"192.0.2.1"}}},
			}, "PORT|Ethernet0 mtu \"9100\"\n",
		},
		{
			"texts with characters that are special for shells and JSON",
			tables{"PORT": {"Ethernet0": {
				"alias": "a\": \"b\\\"\\\\n%s$(x)`y`'*?[", "fec": "  two  blanks,", "lanes": "{},\t\n\u007f", "speed": "é\u2028\U0001f600<>&",
			}}},
			"PORT|Ethernet0 alias \"a\\\": \\\"b\\\\\\\"\\\\\\\\n%s$(x)`y`'*?[\"\nPORT|Ethernet0 fec \"  two  blanks,\"\n" +
				"PORT|Ethernet0 lanes \"{},\\t\\n\u007f\"\nPORT|Ethernet0 speed \"\\u00e9\\u2028\\ud83d\\ude00<>&\"\n",
		},
		{
			"secrets and addresses stay",
			tables{
				"TACPLUS": {"global": {"passkey": "secret"}},
				"DEVICE_METADATA": {
					"localhost": {"mac": "secret", "hostname": "secret", "type": "ToRRouter", "cloudtype": "x"},
					"remote":    {"type": "secret"},
				},
				"PORT":           {"Ethernet0": {"description": "secret", "speed": "100000"}},
				"MGMT_INTERFACE": {"eth0|192.0.2.1/24": {"gwaddr": "secret"}}, "QUEUE_SECRET": {"QUEUE": {"scheduler": "secret"}},
			},
			"DEVICE_METADATA|localhost cloudtype \"x\"\nDEVICE_METADATA|localhost type \"ToRRouter\"\nPORT|Ethernet0 speed \"100000\"\n",
		},
		{
			"profiles made by the buffer manager", tables{"BUFFER_PROFILE": {
				"pg_lossless_100000_5m_profile": {"xoff": "1"}, "pg_lossless_own_profile": {}, "pg_lossless_x": {"xoff": "2"},
				"ingress_lossy_profile": {},
			}}, "BUFFER_PROFILE|ingress_lossy_profile\nBUFFER_PROFILE|pg_lossless_x xoff \"2\"\n",
		},
		{"nobody watches", tables{"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}}}, ""},
		{
			"a port watches",
			tables{"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}, "Ethernet0": {"action": "drop"}}},
			"PFC_WD|Ethernet0 action \"drop\"\nPFC_WD|GLOBAL POLL_INTERVAL \"200\"\n",
		},
		{
			"GLOBAL follows the ports",
			tables{"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}, "AEthernet0": {}, "Z": {"action": "drop"}}},
			"PFC_WD|AEthernet0\nPFC_WD|GLOBAL POLL_INTERVAL \"200\"\nPFC_WD|Z action \"drop\"\n",
		},
	} {
		data := printed(t, c.data)
		out, failed := asked(t, found{data: data, build: build})
		require.False(t, failed, c.name)
		assert.Equal(t, facts+c.want, out, c.name)
		assert.NotContains(t, out, "secret", c.name)
		cfg, err := grammar.Read([]byte(data))
		require.NoError(t, err)
		assert.Equal(t, c.want, string(cfg.Rows()), "%s: grammar agrees", c.name)
		state := read(t, out)
		assert.Equal(t, out, string(state.Rows()), "%s: rows are canonical", c.name)
	}
}

// TestQueryTables: the script and the table of tables list the same tables, except for the version of the schema, which is not part of a
// state.
func TestQueryTables(t *testing.T) {
	all := tables{"VLAN": {"x": {"y": "z"}}}
	var want []string
	for i := range grammar.Tables {
		name := grammar.Tables[i].Name
		key, field := "x", "y"
		switch name {
		case "DEVICE_METADATA":
			key, field = "localhost", "type"
		case "PORT":
			field = "speed"
		}
		all[name] = rows{key: {field: "z"}}
		if name != "VERSIONS" {
			want = append(want, fmt.Sprintf("%s|%s %s \"z\"\n", name, key, field))
		}
	}
	slices.Sort(want)
	out, failed := asked(t, found{data: printed(t, all), build: build})
	require.False(t, failed)
	assert.Equal(t, facts+strings.Join(want, ""), out)
}

// TestQueryRefuses: the query fails for an incomplete configuration, and for one that rows cannot represent.
func TestQueryRefuses(t *testing.T) {
	whole := printed(t, tables{"QUEUE": {"Ethernet0|3": {"scheduler": "a"}}, "SCHEDULER": {"a": {"type": "STRICT"}}})
	_, failed := asked(t, found{data: whole, build: build})
	require.False(t, failed)
	for name, f := range map[string]found{
		"sonic-cfggen fails":             {data: whole, status: 1},
		"half of it":                     {data: whole[:len(whole)/2], status: 1},
		"nothing":                        {status: 1},
		"killed":                         {data: whole, status: 137},
		"no database":                    {data: "Traceback (most recent call last):\n", status: 1},
		"more than is read":              {data: whole, most: "60"},
		"a key with a blank":             {data: printed(t, tables{"QUEUE": {"Ethernet0 |3": {"scheduler": "a"}}})},
		"a field with a blank":           {data: printed(t, tables{"QUEUE": {"Ethernet0|3": {"my scheduler": "a"}}})},
		"half of the output, status 0":   {data: whole[:len(whole)-2]},
		"an error, status 0":             {data: "Traceback (most recent call last):\n"},
		"no table at all":                {data: "{}\n"},
		"a tab":                          {data: strings.Replace(whole, "Ethernet0|", "Ethernet0\t|", 1)},
		"a list with a blank":            {data: printed(t, tables{"BUFFER_PG": {"Ethernet0 |3": {"profile": []string{"a"}}}})},
		"the last row of many":           {data: printed(t, tables{"QUEUE": {"a": {"b": "c"}, "z z": {"b": "c"}}})},
		"half of the output, in a field": {data: whole[:strings.Index(whole, `"a"`)+2], status: 1},
	} {
		f.build = build
		_, failed := asked(t, f)
		assert.True(t, failed, name)
	}
	out, failed := asked(t, found{data: printed(t, tables{"VLAN": {"Vlan 1": {"a b": "c"}}}), build: build})
	assert.False(t, failed, "other tables may have any content")
	assert.Equal(t, facts, out)
}

// TestQueryFacts: the query reads files of the switch, with all forms that people and vendors write.
func TestQueryFacts(t *testing.T) {
	const metadata = "DEVICE_METADATA|localhost hwsku \"h\"\nDEVICE_METADATA|localhost platform \"p\"\n"
	const usual = "# speed cable size xon xoff threshold xon_offset\n# PG lossless profiles.\n100000 5m 49152 19456 29696 0 2496\n"
	row := func(length, size, xoff, threshold string) string {
		at := "@lookup|100000|" + length
		return at + " size \"" + size + "\"\n" + at + " threshold \"" + threshold + "\"\n" + at + " xoff \"" + xoff + "\"\n" + at +
			" xon \"19456\"\n"
	}
	offset := func(length string) string { return "@lookup|100000|" + length + " xon_offset \"2496\"\n" }
	for _, c := range []struct {
		name   string
		found  found
		at     fieldsOf // rows of DEVICE_METADATA|localhost; nil: hwsku h and platform p
		lookup string
		others string // rows instead of those of build and metadata
	}{
		{name: "no files", found: found{build: build}},
		{name: "no version", found: found{}, others: metadata},
		{
			name: "versions in the form of images", found: found{build: "---\nbuild_version: \"SONiC.202505.1-abc\"\ndebian_version: '12.9'\n\n# " +
				"asic_type: x\n" +
				"asic_type: mellanox\ncommit_id: 'abc'\nbuilt_by: me@host\nlibswsscommon: 1.0.0\n"},
		},
		{
			name: "invalid versions", found: found{build: "build_version: 'SONiC $(x)'\nasic_type: \"a\\\"b\"\nasic_type: ''\nasic_type\n"},
			others: metadata,
		},
		{
			name: "several chips", found: found{build: build, asic: "NUM_ASIC=3\nDEV_ID_ASIC_0=03:00.0\n"},
			others: "@version|localhost asic_count \"3\"\n" + facts + metadata,
		},
		{name: "an odd number of chips", found: found{build: build, asic: "# NUM_ASIC=3\nNUM_ASIC=x\nNUM_ASIC=\n NUM_ASIC=\"3\"\n"}},
		{name: "a lookup file", found: found{build: build, lookup: usual}, lookup: "@lookup|100000|5m " + "-"},
		{
			name: "odd lines", found: found{build: build, lookup: usual + "\n   \n100000 40m\n100000 40m 1 2 3\n100000 40 1 2 3 4\nx 40m 1 2 3 4\n" +
				"100000 4.5m 1 2 3 4\n100000 40m 1k 2 3 4\n100000 m 1 2 3 4\n100000 40m 1 2 3 4 x\n100000 40m 1 2 3 -\n100000 40m 1 -2 3 4\n$(x) " +
				"40m 1 2 3 4\n"},
			lookup: "-",
		},
		{name: "a line twice", found: found{build: build, lookup: usual + usual}, lookup: "-"},
		{name: "comments alone", found: found{build: build, lookup: "# nothing\n"}, lookup: "file"},
		{
			name: "a platform outside of its folder", found: found{build: build, lookup: usual},
			at: fieldsOf{"platform": "../device/p", "hwsku": "h"},
		},
		{name: "a hidden platform", found: found{build: build, lookup: usual}, at: fieldsOf{"platform": "..", "hwsku": "h"}},
		{name: "a hwsku outside of its folder", found: found{build: build, lookup: usual}, at: fieldsOf{"platform": "p", "hwsku": "../p/h"}},
		{name: "a hwsku with a blank", found: found{build: build, lookup: usual}, at: fieldsOf{"platform": "p", "hwsku": "h h"}},
		{name: "no hwsku", found: found{build: build, lookup: usual}, at: fieldsOf{"platform": "p"}},
		{name: "no platform", found: found{build: build, lookup: usual}, at: fieldsOf{"hwsku": "h"}},
	} {
		at := c.at
		if at == nil {
			at = fieldsOf{"hwsku": "h", "platform": "p"}
		}
		want := c.others
		if want == "" {
			cfg := grammar.New()
			for field, text := range at {
				cfg.Put("DEVICE_METADATA", "localhost", field, text.(string))
			}
			want = facts + string(cfg.Rows())
		}
		switch c.lookup {
		case "":
		case "file":
			want = "@lookup|file\n" + want
		default:
			want = row("5m", "49152", "29696", "0") + offset("5m") + "@lookup|file\n" + want
		}
		c.found.data = printed(t, tables{"DEVICE_METADATA": {"localhost": at}})
		out, failed := asked(t, c.found)
		require.False(t, failed, c.name)
		assert.Equal(t, want, out, c.name)
	}

	out, _ := asked(t, found{
		data: printed(t, tables{"DEVICE_METADATA": {"localhost": {"hwsku": "h", "platform": "p"}}}), build: build,
		lookup: "100000\t40m  1 19456 2 -3\n100000 300m 4 19456 5 6 2496 more", // the last line has no end
	})
	assert.Equal(t, row("300m", "4", "5", "6")+offset("300m")+row("40m", "1", "2", "-3")+"@lookup|file\n"+facts+metadata, out)
	sizes := grammar.LookupOf(read(t, out))[100000]
	assert.Equal(t, grammar.Sizes{Size: "1", Xon: "19456", Xoff: "2", Threshold: "-3"}, sizes[40])
	assert.Equal(t, grammar.Sizes{Size: "4", Xon: "19456", Xoff: "5", Threshold: "6", XonOffset: "2496"}, sizes[300])
}

// TestQueryRandom: for any texts in a configuration, shells print the rows that the grammar writes.
func TestQueryRandom(t *testing.T) {
	names := rapid.OneOf(rapid.StringMatching(`[A-Za-z0-9_|.,-]{1,10}`), rapid.SampledFrom([]string{
		"localhost", "GLOBAL", "Ethernet0", "Ethernet0|3-4", "pg_lossless_100000_5m_profile", "type", "speed", "POLL_INTERVAL", "*", "{}", "[",
		"'",
	}))
	var of []string
	for i := range grammar.Tables {
		of = append(of, grammar.Tables[i].Name)
	}
	of = append(of, "VLAN", "queue")
	configs := rapid.Custom(func(t *rapid.T) tables {
		out := tables{}
		for range rapid.IntRange(1, 30).Draw(t, "rows") {
			table, key := rapid.SampledFrom(of).Draw(t, "table"), names.Draw(t, "key")
			if out[table] == nil {
				out[table] = rows{}
			}
			row := fieldsOf{}
			for range rapid.IntRange(0, 3).Draw(t, "fields") {
				field := names.Draw(t, "field")
				if row[field] = rapid.String().Draw(t, "text"); rapid.IntRange(0, 3).Draw(t, "list") == 0 {
					row[field] = rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "list")
				}
			}
			out[table][key] = row
		}
		return out
	})
	for seed := range 25 {
		data := printed(t, configs.Example(seed))
		out, failed := asked(t, found{data: data, build: build})
		require.False(t, failed, data)
		cfg, err := grammar.Read([]byte(data))
		require.NoError(t, err)
		require.Equal(t, facts+string(cfg.Rows()), out, data)
	}
}

// TestQueryLarge: a megabyte takes seconds, in every shell with a built-in printf, such as a switch has. A large switch has a third of
// that size. Without -whole the test has that third, and a ninth of the time, which is enough for quadratic work.
func TestQueryLarge(t *testing.T) {
	ports, most := 170, 15*time.Second/9
	if *whole {
		ports, most = 512, 15*time.Second
	}
	all := tables{"QUEUE": {}, "PORT": {}, "VLAN_MEMBER": {}}
	for i := range ports {
		port := fmt.Sprintf("Ethernet%d", i)
		all["PORT"][port] = fieldsOf{"alias": port, "lanes": "0,1,2,3,4,5,6,7", "speed": "100000", "description": strings.Repeat("x", 400)}
		for q := range 8 {
			all["QUEUE"][fmt.Sprintf("%s|%d", port, q)] = fieldsOf{"scheduler": "ROCEC-" + fmt.Sprint(q), "wred_profile": "AZURE_LOSSLESS"}
		}
		for v := range 6 {
			all["VLAN_MEMBER"][fmt.Sprintf("Vlan%d|%s", v, port)] = fieldsOf{"tagging_mode": "untagged"}
		}
	}
	data := printed(t, all)
	require.Greater(t, len(data), ports*2000)
	own := slices.DeleteFunc(slices.Clone(shells), func(shell []string) bool { return shell[0] == "mksh" })
	var out string
	var failed bool
	took := targettest.ProcessorTime(t, func() { out, failed = asked(t, found{data: data, build: build, shells: own}) })
	require.False(t, failed)
	assert.Less(t, took, time.Duration(len(own))*most)
	cfg, err := grammar.Read([]byte(data))
	require.NoError(t, err)
	assert.Equal(t, facts+string(cfg.Rows()), out)
}

// TestQuerySim: on a simulated switch of every release, with its own files, shells print the rows that the grammar writes for its
// configuration.
func TestQuerySim(t *testing.T) {
	for _, release := range sim.Releases() {
		for i, b := range []sim.Box{
			{QoS: sim.Template}, {QoS: sim.Template, Model: sim.Dynamic}, {QoS: sim.NoQoS}, {QoS: sim.Template, Lookup: sim.NoLookup},
		} {
			var in [][]string
			if i > 0 {
				in = shells[:1]
			}
			b.Release, b.ASIC, b.HwSKU, b.Platform = release, "mellanox", "ACS-MSN2700", "x86_64-mlnx_msn2700-r0"
			for i := range 3 {
				n := 4 * i
				b.Ports = append(b.Ports, sim.Port{
					Name: fmt.Sprintf("Ethernet%d", n), Alias: fmt.Sprintf("etp%d", i+1), Lanes: fmt.Sprintf("%d,%d,%d,%d", n, n+1, n+2, n+3), Index: i +
						1,
					SpeedMbps: 100_000,
				})
			}
			image := func(*ir.Device) target.Image { return sim.New(b).Image() }
			d := lab.NewDevice(&target.Device{Name: "tor1", Role: target.Switch, Target: &target.Target{User: "admin", Image: image}})
			data, errs, status := d.Run(t.Context(), "root", "sonic-cfggen -d --print-data", "")
			require.Zero(t, status, errs)
			version, err := d.ReadFile("/etc/sonic/sonic_version.yml")
			require.NoError(t, err)
			lookup, _ := d.ReadFile("/usr/share/sonic/device/" + b.Platform + "/" + b.HwSKU + "/pg_profile_lookup.ini")
			// The stand-in has folders for a platform p and a hwsku h.
			text := strings.NewReplacer(`"`+b.Platform+`"`, `"p"`, `"`+b.HwSKU+`"`, `"h"`).Replace(data)
			out, failed := asked(t, found{data: text, build: string(version), lookup: string(lookup), shells: in})
			require.False(t, failed)

			cfg, err := grammar.Read([]byte(text))
			require.NoError(t, err)
			state := read(t, out)
			sizes := grammar.LookupOf(state)
			require.Equal(t, b.Lookup != sim.NoLookup, sizes != nil)
			require.Equal(t, b.Lookup != sim.NoLookup, len(sizes.Lengths(100000)) > 0)
			v, err := grammar.BoxOf(state, "", "")
			require.NoError(t, err)
			require.Equal(t, release, v.Release.String())
			require.Equal(t, "mellanox", state.Get(grammar.VersionTable, "localhost", "asic_type"))
			delete(state.Tables, grammar.VersionTable)
			delete(state.Tables, grammar.LookupTable)
			require.Equal(t, string(cfg.Rows()), string(state.Rows()), "%s %v", release, b.QoS)
			require.Equal(t, b.QoS == sim.Template, strings.Contains(out, "DSCP_TO_TC_MAP|AZURE 26 \"1\"\n"))
		}
	}
}
