package cumulus

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// TestEditLines shows how an edit changes single lines of a file.
func TestEditLines(t *testing.T) {
	tests := []struct {
		name    string
		version string
		old     string
		want    []string // lines that the result contains
		gone    []string // texts that it does not contain
	}{
		{
			name: "a changed value keeps its key, spaces and comment", version: "3.4.3",
			old:  "  traffic.packet_priority_source\t=   dscp   # ours before\r\n",
			want: []string{"  traffic.packet_priority_source\t=   802.1p   # ours before\r"},
		},
		{
			name: "a value that means the same keeps its spelling", version: "3.4.3",
			old:  "traffic.priority_group_list =[ bulk,control , service]  \npriority_group.control.cos_list = [7, 6]\n",
			want: []string{"traffic.priority_group_list =[ bulk,control , service]  ", "priority_group.control.cos_list = [7, 6]"},
		},
		{
			name: "set twice: the last stays", version: "3.4.3",
			old:  "priority_group.bulk.weight = 1\nx = 1\npriority_group.bulk.weight = 2 # later\n",
			want: []string{"x = 1", "priority_group.bulk.weight = 16 # later"},
			gone: []string{"weight = 1\n", "weight = 2"},
		},
		{
			name: "no newline at the end", version: "3.4.3",
			old:  "dos_enable = true",
			want: []string{"dos_enable = true", tailHeader},
		},
		{
			name: "an unwanted group of rocec is removed, those of others stay", version: "3.4.3",
			old: "pfc.port_group_list = [roce_pfc, roce_pfc_2, ROCE_PFC]\npfc.roce_pfc_2.cos_list = [3]\npfc.ROCE_PFC.cos_list = [3]\n" +
				"pfc.roce_pfc_x.cos_list = [1]\npfc.roce_pfc.cable_length_max = 7\n",
			want: []string{"pfc.port_group_list = [roce_pfc]", "pfc.ROCE_PFC.cos_list = [3]", "pfc.roce_pfc_x.cos_list = [1]"},
			gone: []string{"roce_pfc_2", "cable_length_max"},
		},
		{
			name: "lines that are not settings stay", version: "3.4.3",
			old:  "link pause\n\xff\xfe\n= 3\na b = c\n[section]\n",
			want: []string{"link pause", "\xff\xfe", "= 3", "a b = c", "[section]"},
		},
		{
			name: "an empty value", version: "3.4.3",
			old:  "pfc.port_group_list =# none\n",
			want: []string{"pfc.port_group_list =[roce_pfc] # none"},
		},
		{
			name: "link pause of others at a port of ours", version: "3.4.3",
			old: "link_pause.port_group_list = [a, b, c]\nlink_pause.a.port_set = swp10-swp19\nlink_pause.b.port_set = swp20,swp30-swp31\n" +
				"link_pause.c.port_set = everything\nlink_pause.a.port_buffer_bytes = 9\nlink_pause.a.xoff_size = 5\nlink_pause.a.xon_delta = 0\n" +
				"link_pause.a.tx_enable = true\nlink_pause.a.rx_enable = true\nlink_pause.b.port_buffer_bytes = 9\nlink_pause.b.xoff_size = 5\n" +
				"link_pause.b.xon_delta = 0\nlink_pause.b.tx_enable = true\nlink_pause.b.rx_enable = true\n",
			want: []string{"link_pause.port_group_list = [a, b]", "link_pause.b.port_set = swp20,swp30", "link_pause.c.port_set = everything"},
		},
		{
			name: "per-port classification of others at a port of ours", version: "4.3.0",
			old:  "source.port_group_list = [a,b]\nsource.a.port_set = swp7\nsource.b.port_set = [swp1,swp9]\n",
			want: []string{"source.port_group_list = [a,b]", "source.b.port_set = swp9"},
		},
		{
			name: "PFC of others stays where the fabric has no port", version: "4.3.0",
			old: "pfc.port_group_list = [a, gone]\npfc.a.port_set = swp1-swp12\npfc.a.cos_list = [3]\n" +
				"pfc.a.port_buffer_bytes = 9\npfc.a.xoff_size = 5\n" +
				"pfc.a.xon_delta = 0\npfc.a.tx_enable = true\npfc.a.rx_enable = true\npfc.a.cable_length = 5\npfc.gone.port_set = swp1-swp2\n",
			want: []string{
				"pfc.port_group_list = [roce_pfc, a]", "pfc.a.port_set = swp5-swp12",
				"pfc.a.cos_list = [3]", "pfc.gone.port_set = swp1-swp2",
			},
		},
		{
			name: "both fields stay trusted", version: "4.3.0",
			old:  "traffic.packet_priority_source_set = [dscp, 802.1p]\n",
			want: []string{"traffic.packet_priority_source_set = [dscp, 802.1p]"},
		},
		{
			name: "one field does not", version: "4.3.0",
			old:  "traffic.packet_priority_source_set = [dscp]\n",
			want: []string{"traffic.packet_priority_source_set = [802.1p]"},
		},
		{
			name: "3.4 with the list spelling in a comment", version: "3.4.3",
			old: "traffic.packet_priority_source = 802.1p\n#traffic.cos_0.packet_priorities.dscp = [0]\ntraffic.cos_1.packet_priorities = [1]\n",
			want: []string{
				"traffic.packet_priority_source_set = [802.1p]", "traffic.cos_4.packet_priorities.8021p = [4]",
				"traffic.remark_packet_priority = none",
			},
			gone: []string{"traffic.packet_priority_source =", "packet_priorities ="},
		},
		{
			name: "3.4 with the spelling of 3.5", version: "3.4.3",
			old: "# traffic.cos_0.priority_source.8021p = [0]\n",
			want: []string{
				"traffic.packet_priority_source_set = [802.1p]", "traffic.cos_4.priority_source.8021p = [4]",
				"traffic.packet_priority_remark_set = []",
			},
		},
		{
			name: "3.7 with the file of 3.4", version: "3.7.16",
			old:  "traffic.packet_priority_source = dscp\ntraffic.remark_packet_priority = none\ntraffic.cos_0.packet_priorities = [0]\n",
			want: []string{"traffic.packet_priority_source_set = [802.1p]", "traffic.cos_4.priority_source.8021p = [4]"},
			gone: []string{"packet_priorities", "packet_priority_source =", "remark_packet_priority"},
		},
		{
			name: "a key of another case is not rocec's", version: "3.4.3",
			old:  "PFC.port_group_list = [x]\n",
			want: []string{"PFC.port_group_list = [x]", "pfc.port_group_list = [roce_pfc]"},
		},
		{
			name: "the T0 lossless group stays, unlisted", version: "3.4.3",
			old:  "traffic.priority_group_list = [control, service, bulk, lossless]\npriority_group.lossless.cos_list = [4]\n",
			want: []string{"traffic.priority_group_list = [control, service, bulk]", "priority_group.lossless.cos_list = [4]"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			edit := canonicalSample(t, "sn2700", tt.version, 1).file(t)
			got := edit(tt.old)
			for _, w := range tt.want {
				assert.Contains(t, "\n"+got, "\n"+w+"\n")
			}
			for _, g := range tt.gone {
				assert.NotContains(t, got, g)
			}
			assert.True(t, strings.HasSuffix(got, "\n"))
			assert.Equal(t, got, edit(got), "editing twice")
			readBack(t, strings.NewReplacer("link pause\n", "", "\xff\xfe\n", "", "= 3\n", "", "[section]\n", "").Replace(got)).check(t)
		})
	}
}

// TestECNSpelling: from 3.5 to 3.7 manuals and shipped files differ, so the file decides.
func TestECNSpelling(t *testing.T) {
	tests := []struct{ name, version, old, want, not string }{
		{"3.7, nothing shown", "3.7.16", "x = 1\n", "\necn.roce_ecn.probability = 100\n", "ecn_red"},
		{"3.7, shown in a comment", "3.7.16", "# ecn_red.port_group_list = [x]\n", "\necn_red.roce_ecn.red_enable = false\n", "\necn."},
		{
			"3.7, an older list", "3.7.16", "# ecn_red.port_group_list = [x]\necn.port_group_list = [old]\n",
			"\necn_red.roce_ecn.ecn_enable = true\n", "\necn.port",
		},
		{"4.0", "4.0.0", "x = 1\n", "\necn_red.roce_ecn.ecn_enable = true\n", "\necn."},
		{"4.0, the older word in a comment", "4.0.0", "# ecn.port_group_list = [x]\n", "\necn.roce_ecn.probability = 100\n", "ecn_red"},
		{"4.1, the older word in force", "4.1.1", "ecn.port_group_list = [x]\n", "\necn.roce_ecn.cos_list = [4]\n", "ecn_red"},
		{"4.1, both words", "4.1.1", "ecn.port_group_list = [x]\n#ecn_red.x.cos_list = [1]\n", "\necn_red.roce_ecn.cos_list = [4]\n", "\necn."},
		{"4.3, the older word", "4.3.0", "ecn.port_group_list = [x]\n", "\necn_red.roce_ecn.cos_list = [4]\n", "\necn."},
		{"4.2 without cable_length", "4.2.1", "x = 1\n", "\npfc.roce_pfc.rx_enable = true\n", "cable_length"},
		{"4.3", "4.3.0", "x = 1\n", "\npfc.roce_pfc.cable_length = 3\n", "nothing"},
		{"4.0 without cable_length", "4.0.0", "x = 1\n", "\npfc.roce_pfc.rx_enable = true\n", "cable_length"},
		{"4.0 showing cable_length", "4.0.0", "# pfc.p.cable_length = 10\n", "\npfc.roce_pfc.cable_length = 3\n", "nothing"},
		{"3.1 has no thresholds", "3.1.2", "x = 1\n", "\necn.roce_ecn.cos_list = [4]\n", "threshold"},
		{"3.1 showing thresholds", "3.1.2", "#ecn.p.min_threshold_bytes = 1\n", "\necn.roce_ecn.min_threshold_bytes = 153600\n", "nothing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			edit := canonicalSample(t, "sn2700", tt.version, 2).file(t)
			got := edit(tt.old)
			assert.Contains(t, got, tt.want)
			assert.NotContains(t, got, tt.not)
			assert.Equal(t, got, edit(got))
		})
	}
}

// TestRefuse lists files that rocec does not edit.
func TestRefuse(t *testing.T) {
	files, ds := Target.Render(canonicalSample(t, "sn2700", "3.4.3", 1).sw)
	require.Empty(t, ds)
	for name, tt := range map[string]struct{ old, why string }{
		"NUL":           {"a = 1\x00\n", "NUL"},
		"lone CR":       {"a = 1\rpfc.port_group_list = [x]\n", "carriage returns"},
		"open list":     {"traffic.cos_0.packet_priorities = [0,\n1]\n", "line 1 sets traffic.cos_0.packet_priorities"},
		"goes on":       {"x = 1\npfc.roce_pfc.port_set = swp1,\nswp2\n", "line 2 sets pfc.roce_pfc.port_set"},
		"backslash":     {"scheduling.algorithm = \\\ndwrr\n", "line 1"},
		"far too large": {strings.Repeat("# fill\n", grammar.MaxFile/7+1), "1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			out, ds := files[0].Edit([]byte(tt.old))
			assert.Nil(t, out)
			require.Len(t, ds, 1)
			assert.Equal(t, "cumulus-file", ds[0].Code)
			assert.Contains(t, ds[0].Detail, tt.why)
			assert.Contains(t, ds[0].Detail, "leaf1")
		})
	}
	out, ds := files[0].Edit([]byte("foreign = [1,\n2]\n"))
	assert.Empty(t, ds, "a list of another writer may stay open")
	assert.Contains(t, string(out), "foreign = [1,\n2]\n")
}

// TestTail: settings without a place are written below one comment, also those of a later edit.
func TestTail(t *testing.T) {
	s := canonicalSample(t, "sn2700", "3.4.3", 1)
	first := s.file(t)("dos_enable = true\n\n")
	assert.Equal(t, 1, strings.Count(first, tailHeader))
	assert.True(t, strings.HasPrefix(first, "dos_enable = true\n\n"+tailHeader+"\ntraffic.packet_priority_source = 802.1p\n"), first)

	withUser := first + "\n# mine\nsflow.rate = 3\n"
	v2 := canonicalSample(t, "sn2700", "3.4.3", 2)
	second := v2.file(t)(withUser)
	assert.Equal(t, 1, strings.Count(second, tailHeader))
	assert.True(t, strings.HasSuffix(second, "ecn.roce_ecn.probability = 100\n\n# mine\nsflow.rate = 3\n"), second)

	back := s.file(t)(second)
	assert.NotContains(t, back, "roce_ecn")
	assert.Contains(t, back, "ecn.port_group_list = []\n", "an emptied list stays, so that nothing else fills it")
	assert.Contains(t, back, "\n\n# mine\nsflow.rate = 3\n")
}

func TestKeys(t *testing.T) {
	files, _ := Target.Render(canonicalSample(t, "sn2700", "3.4.3", 1).sw)
	f := files[0]
	whole, _ := f.Edit(nil)
	for _, k := range f.Keys(whole) {
		assert.True(t, k.Ours, k.Name)
		if strings.HasPrefix(k.Name, "pfc.roce_pfc.") {
			assert.NotEmpty(t, f.Why(k.Name), k.Name)
		}
	}
	keys := f.Keys([]byte("dos_enable = true # x\n# pfc.port_group_list = [a]\npfc.roce_pfc_7.xoff_size = " +
		"9\ntraffic.packet_priority_source_set = [dscp]\npfc.mine.xoff_size = 1\n"))
	require.Len(t, keys, 4)
	assert.Equal(t, "true", keys[0].Value)
	assert.Equal(t, []bool{false, true, true, false}, []bool{keys[0].Ours, keys[1].Ours, keys[2].Ours, keys[3].Ours})

	assert.Equal(t, "size", f.Why("pfc.roce_pfc.port_buffer_bytes")[0].Why)
	assert.Equal(t, at(34), f.Why("pfc.roce_pfc.cos_list")[0].At)
	assert.Empty(t, f.Why("dos_enable"))
}

// fileLines returns random lines of a traffic.conf: settings of rocec in any dialect, settings of others, comments, nonsense.
func fileLines() *rapid.Generator[string] {
	key := rapid.OneOf(
		rapid.SampledFrom([]string{
			"traffic.packet_priority_source", "traffic.packet_priority_source_set", "traffic.remark_packet_priority",
			"traffic.packet_priority_remark_set",
			"traffic.priority_group_list", "priority_group.bulk.cos_list", "priority_group.service.weight", "scheduling.algorithm",
			"pfc.port_group_list", "pfc.roce_pfc.port_set", "pfc.roce_pfc.cable_length", "pfc.roce_pfc_2.cos_list", "pfc.mine.port_set",
			"link_pause.port_group_list", "link_pause.mine.port_set", "link_pause.roce_pause.xoff_size", "link_pause.roce_pause.cable_length",
			"source.port_group_list", "source.mine.port_set", "remark.port_group_list",
			"ecn.port_group_list", "ecn.roce_ecn.min_threshold_bytes", "ecn_red.port_group_list", "ecn_red.roce_ecn.cos_list",
			"ecn_red.x.red_enable",
			"hash_config.enable", "dos_enable", "sflow.rate", "",
		}),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Replace(rapid.SampledFrom([]string{
				"traffic.cos_N.packet_priorities", "traffic.cos_N.packet_priorities.8021p", "traffic.cos_N.packet_priorities.dscp",
				"traffic.cos_N.priority_source.8021p", "traffic.cos_N.priority_source.dscp",
			}).Draw(t, "map"), "N", string(rune('0'+rapid.IntRange(0, 9).Draw(t, "cos"))), 1)
		}),
	)
	value := rapid.SampledFrom([]string{
		"", "[]", "[0,1]", "[ 1, 0 ]", "[mine]", "[mine, roce_pfc]", "true", "TRUE", "802.1p", "swp1-swp4",
		"swp9", "allports", "4", `"a # b"`, "[4] # why", "# only",
	})
	return rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom([]string{"", "  ", "link pause", "# words", tailHeader, wholeHeader, "\xff", "a b = c"}).Draw(t, "other")
		case 1, 2:
			return rapid.SampledFrom([]string{"#", "# ", " ## "}).Draw(t, "mark") + key.Draw(t, "key") + " = " + value.Draw(t, "value")
		}
		sp := rapid.SampledFrom([]string{"", " ", "\t ", "   "})
		return sp.Draw(t, "indent") + key.Draw(t, "key") + sp.Draw(t, "before") + "=" + sp.Draw(t, "after") + value.Draw(t, "value") +
			sp.Draw(t, "trail")
	})
}

// TestEditLaws checks the laws for edits of arbitrary files, with every dialect and both flow controls.
func TestEditLaws(t *testing.T) {
	type sut struct {
		doc grammar.Spelling
		s   *settings
	}
	var suts []sut
	for _, version := range []string{"3.1.2", "3.4.3", "3.7.16", "4.1.0", "4.3.0"} {
		for roce := 1; roce <= 2; roce++ {
			for _, flow := range []ir.FlowControl{ir.PFC, ir.Pause} {
				for _, model := range []string{"sn2700", "as4610-54t"} {
					s := canonicalSample(t, model, version, roce)
					s.fabric.FlowControl = flow
					_, doc, _ := documented(version)
					suts = append(suts, sut{doc, lower(s.sw, doc)})
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		u := rapid.SampledFrom(suts).Draw(t, "switch")
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		old := strings.Join(rapid.SliceOfN(fileLines(), 1, 30).Draw(t, "lines"), end) + rapid.SampledFrom([]string{"", end}).Draw(t, "last")
		holdLaws(t, []byte(old), u.doc, u.s)
	})
}

// FuzzEdit checks the laws for edits of any bytes.
func FuzzEdit(f *testing.F) {
	for _, tag := range []string{"t1", "t2", "t3", "t4"} {
		f.Add([]byte(factoryFile(tag)), uint8(1))
	}
	f.Add([]byte("pfc.port_group_list =[a\r\n# x\r\n"), uint8(2))
	f.Add([]byte("ecn_red.roce_ecn.cos_list=[4]\necn.port_group_list=[a]"), uint8(3))
	type sut struct {
		doc grammar.Spelling
		s   *settings
	}
	var suts []sut
	for _, version := range []string{"3.1.2", "3.4.3", "3.7.16", "4.3.0"} {
		_, doc, _ := documented(version)
		suts = append(suts, sut{doc, lower(canonicalSample(f, "sn2700", version, 2).sw, doc)})
	}
	f.Fuzz(func(t *testing.T, old []byte, which uint8) {
		u := suts[int(which)%len(suts)]
		holdLaws(t, old, u.doc, u.s)
	})
}

// holdLaws checks the laws of an edit. A second edit changes nothing, and the old bytes are not modified. Lines that are not rocec's stay
// in their order, byte for byte. The keys of the result are those of Keys.
func holdLaws(t require.TestingT, old []byte, doc grammar.Spelling, s *settings) {
	before := string(old)
	got, err := edit(old, doc, s)
	require.Equal(t, before, string(old), "Edit changed its argument")
	if err != nil {
		keys(old, doc, s)
		return
	}
	require.True(t, strings.HasSuffix(string(got), "\n"))
	again, err := edit(got, doc, s)
	require.NoError(t, err)
	require.Equal(t, string(got), string(again), "editing twice")

	owned := map[string]bool{}
	for _, k := range keys(old, doc, s) {
		owned[k.Name] = k.Ours
	}
	rest := string(got)
	if before != "" {
		for _, l := range strings.SplitAfter(before, "\n") {
			if name, _, ok := strings.Cut(strings.Trim(l, " \t\r\n"), "="); ok && owned[strings.Trim(name, " \t")] {
				continue
			}
			l = strings.TrimSuffix(l, "\n") // the edit may have added a newline to the last line
			i := strings.Index(rest, l)
			require.GreaterOrEqual(t, i, 0, "line lost or moved: %q", l)
			rest = rest[i+len(l):]
		}
	}
	seen := map[string]bool{}
	for _, k := range keys(got, doc, s) {
		if k.Ours {
			require.False(t, seen[k.Name], "%s stands twice", k.Name)
			seen[k.Name] = true
		} else {
			require.Contains(t, owned, k.Name, "a key of others appeared")
		}
	}
	for _, sec := range spell(s, doc.Shown(mustParse(t, got)), nil) {
		for _, set := range sec.settings {
			require.True(t, seen[set.key], "%s is missing", set.key)
		}
	}
}

func mustParse(t require.TestingT, content []byte) []grammar.Line {
	lines, err := grammar.Parse(content)
	require.NoError(t, err)
	return lines
}

// TestEditAllPorts: the marking profile of all ports, and settings of others for all ports, in the files of 4.4 and later.
func TestEditAllPorts(t *testing.T) {
	for name, tt := range map[string]struct {
		version string
		roce    int
		old     string
		want    []string // whole lines of the result
		not     string
	}{
		"4.4: queue 0 stays, others go": {
			"4.4.0", 2, "default_ecn_conf.egress_queue_list = [0,1]\ndefault_ecn_conf.min_threshold_bytes = 7\n",
			[]string{"default_ecn_conf.egress_queue_list = [0,4]", "default_ecn_conf.min_threshold_bytes = 153600"},
			"",
		},
		"4.4: nothing is marked": {
			"4.4.0", 1, "default_ecn_conf.egress_queue_list = [0,4,5]\ndefault_ecn_conf.min_threshold_bytes = 7\n",
			[]string{"default_ecn_conf.egress_queue_list = [0,5]", "default_ecn_conf.min_threshold_bytes = 7"},
			"",
		},
		"4.4: nothing is marked, before and after": {"4.4.0", 1, "sflow.rate = 1\n", []string{"sflow.rate = 1"}, "default_ecn_conf"},
		"4.4: groups of others": {
			"4.4.0", 2, "ecn_red.port_group_list = [a, b]\necn_red.a.port_set = swp1-swp9\necn_red.b.port_set = swp2\n",
			[]string{"ecn_red.port_group_list = [a]", "ecn_red.a.port_set = swp5-swp9"},
			"",
		},
		"5.x: queues of cos groups go": {
			"5.3.0", 2, "default_ecn_red_conf.egress_queue_list = [0,4,6]\ndefault_ecn_red_conf.min_threshold_bytes = 7\n",
			[]string{
				"default_ecn_red_conf.egress_queue_list = [0]", "default_ecn_red_conf.min_threshold_bytes = 7",
				"ecn_red.roce_ecn.egress_queue_list = [4]",
			},
			"",
		},
		"5.x: a value that is no list": {
			"5.3.0", 2, "default_ecn_red_conf.egress_queue_list = [0-4]\n", []string{"default_ecn_red_conf.egress_queue_list = [0-4]"}, "",
		},
		"5.x: PFC on all ports": {
			"5.3.0", 1, "pfc.port_group_list = [default-global]\npfc.default-global.port_set = allports\npfc.default-global.cos_list = [3]\n",
			[]string{"pfc.port_group_list = [roce_pfc]", "pfc.default-global.port_set = allports"},
			"",
		},
		"5.x: shares are rocec's": {
			"5.3.0", 1, "default_egress_sched.egr_queue_4.bw_percent = 1\negress_sched.port_group_list = [x]\negress_sched.x.port_set = swp1\n",
			[]string{"default_egress_sched.egr_queue_4.bw_percent = 50", "egress_sched.port_group_list = []"},
			"# default_egress_sched",
		},
		"5.x: the class of packets without a mark": {
			"5.3.0", 1, "traffic.port_default_priority = 4\n", []string{"traffic.port_default_priority = 0"}, "",
		},
	} {
		edit := canonicalSample(t, "sn3700", tt.version, tt.roce).file(t)
		got := edit(tt.old)
		for _, line := range tt.want {
			assert.Contains(t, "\n"+got, "\n"+line+"\n", name)
		}
		if tt.not != "" {
			assert.NotContains(t, got, tt.not, name)
		}
		assert.Equal(t, got, edit(got), name)
	}
}
