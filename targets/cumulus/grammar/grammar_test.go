package grammar

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
)

// TestKeys checks the table: every row can be spelled and matched, and refers to existing dialects and fields.
func TestKeys(t *testing.T) {
	seen := map[string]bool{}
	grouped := map[Feature]bool{}
	for i := range Keys() {
		k := &Keys()[i]
		assert.False(t, seen[k.Pattern], k.Pattern)
		seen[k.Pattern] = true
		assert.Regexp(t, `^([a-z0-9_]+|G|[a-z_]*N)(\.([a-z0-9_]+|G|[a-z_]*N))*$`, k.Pattern)
		assert.NotZero(t, k.In, k.Pattern)
		assert.Zero(t, k.In&k.Maybe, "%s: either documented or only seen", k.Pattern)
		assert.Less(t, int(k.Type), len(types), k.Pattern)
		if k.Since != (Release{}) {
			assert.NotZero(t, k.In&k.Since.Dialects(), "%s: none of its dialects is documented from %v on", k.Pattern, k.Since)
		}
		if k.Means == Groups {
			grouped[k.Feature()] = true
		}
		if k.Grouped() {
			assert.True(t, k.Feature() == PriorityGroup || slices.Contains(Grouped, k.Feature()), k.Pattern)
		}
		if k.Sets == ir.NoField {
			assert.NotEmpty(t, k.Why, "%s: it sets a field, or has a reason for setting none", k.Pattern)
		} else {
			assert.Empty(t, k.Why, k.Pattern)
		}
		assert.True(t, k.Aside || !k.Below, k.Pattern)
		name := k.Spell(3, "mine")
		described, n, group := Describe(strings.Split(name, "."))
		require.Same(t, k, described, name)
		assert.Equal(t, [2]bool{k.Grouped(), strings.Contains(k.Pattern, "N")}, [2]bool{group == "mine", n == 3}, name)
		if k.Below {
			deeper, _, _ := Describe(strings.Split(name+".more.words", "."))
			assert.Same(t, k, deeper, name)
		}
		found, n, group := Match(strings.Split(name, "."))
		if k.Aside {
			assert.Nil(t, found, name)
			continue
		}
		require.Same(t, k, found, name)
		assert.Equal(t, k.Grouped(), group == "mine", name)
		assert.Equal(t, strings.Contains(k.Pattern, "N"), n == 3, name)
		if n == 3 {
			assert.Same(t, k, Outside(strings.Split(k.Spell(9, "mine"), ".")), name)
		}
		if k.Means != 0 {
			assert.Contains(t, Find(k.Feature(), k.Means), k)
		}
	}
	for _, f := range Grouped {
		assert.True(t, grouped[f], f)
		assert.Len(t, Find(f, Groups), 1, f)
	}
	assert.Len(t, grouped, len(Grouped))
	for _, f := range slices.Concat(Pausing, Marking) {
		assert.Contains(t, Grouped, f)
	}
	assert.Equal(t, "ecn.a.egress_queue_list", Spell(ECN, GroupQueues, -1, "a"), "the same word as in other features")
	assert.Equal(t, "xoff_size", Xoff.Word())
}

// TestMeaningsAreDistinct: within one dialect no two keys of a feature mean the same.
func TestMeaningsAreDistinct(t *testing.T) {
	for i, d := range dialects {
		bit := Dialects(1) << i
		at := map[Feature]map[Meaning]string{}
		for _, k := range Keys() {
			if k.Means == 0 || k.In&bit == 0 {
				continue
			}
			if at[k.Feature()] == nil {
				at[k.Feature()] = map[Meaning]string{}
			}
			assert.Empty(t, at[k.Feature()][k.Means], "%s: %s", d.name, k.Pattern)
			at[k.Feature()][k.Means] = k.Pattern
		}
	}
}

// TestMeant: only up to 3.4 the field that a key sets depends on the trusted field.
func TestMeant(t *testing.T) {
	for i := range Keys() {
		k := &Keys()[i]
		pcp, why := k.Meant(false)
		dscp, _ := k.Meant(true)
		assert.Equal(t, k.Means == MapTrusted, pcp != dscp, k.Pattern)
		assert.Equal(t, pcp == ir.NoField, why != "", k.Pattern)
	}
	k, _, _ := Describe([]string{"no", "such", "key"})
	assert.Nil(t, k)
	k, _, _ = Describe([]string{"cos_egr_queue", "cos_3", "uc"})
	assert.NotZero(t, k.Read()&D)
	assert.Zero(t, k.Could()&D)
}

// TestFit: the keys of a file show its possible dialects.
func TestFit(t *testing.T) {
	for text, want := range map[string]Dialects{
		"": 0, "a = 1": 0, "# pfc.port_group_list = [a]": 0, "cut_through_enable = true": 0,
		"traffic.packet_priority_source = dscp\npfc.a.cos_list = [4]":      T1,
		"traffic.cos_0.packet_priorities.8021p = [0]":                      T2,
		"traffic.cos_0.priority_source.8021p = [0]":                        T3 | T4,
		"pfc.a.cable_length = 5":                                           T4,
		"traffic.cos_0.priority_source.dscp = [0]\nhash_config.enable = 1": T4,
		"traffic.cos_0.priority_source.dscp = [0]\necn.a.cos_list = [4]":   T3,
	} {
		lines, err := Parse([]byte(text))
		require.NoError(t, err)
		assert.Equal(t, want, Fit(lines, TrafficConf), text)
	}
	lines, _ := Parse([]byte("default_ecn_red_conf.probability = 5\npfc.a.cos_list = [4]\n"))
	fit := Fit(lines, AnyFile)
	assert.Equal(t, Q2, fit)
	assert.True(t, fit.One())
	assert.Equal(t, "Q2", fit.First().Dialect())
	assert.Equal(t, "T3", (T3 | T4).First().Dialect())
	assert.False(t, (T3 | T4).One())
}

// TestEvidence: every sign belongs to a key, and every key that needs a sign has one.
func TestEvidence(t *testing.T) {
	for _, e := range evidence {
		found := false
		for _, k := range Keys() {
			name := k.Spell(1, "mine")
			found = found || strings.HasPrefix(name, e.head) && strings.Contains(name, e.part) && strings.HasSuffix(name, e.tail)
		}
		assert.True(t, found, "%+v", e)
	}
	for _, k := range Keys() {
		if k.shown != 0 {
			s := Spelling{dialect: T4}.Shown([]Line{{Key: k.Spell(1, "mine"), Hidden: true}})
			if k.shown != showsMarks || k.Means == MinThreshold { // one threshold is a sign for all three
				assert.NotZero(t, s.shown&k.shown, k.Pattern)
			}
		}
	}
}

func TestDialects(t *testing.T) {
	require.Equal(t, AnyFile, Dialects(1<<len(dialects)-1), "a row for each bit")
	for i, d := range dialects {
		assert.Equal(t, d.name, Spelling{dialect: 1 << i}.Dialect())
		if d.from != (Release{}) {
			assert.NotZero(t, d.from.Dialects()&(1<<i), d.name)
		}
	}
	for version, want := range map[string]Dialects{
		"2.4": 0, "2.5.12": T0 | D, "3.1.0": T0 | D, "3.1.1": T1 | D, "3.4.99": T1 | D, "3.5": T3 | D, "3.7.16": T3 | D, "4.0.0": T4 | D,
		"4.3.9": T4 | D, "4.4.0": Q1 | I1, "5.9.1": Q2 | I2, "6.0": 0,
	} {
		r, ok := ParseRelease(version)
		require.True(t, ok, version)
		assert.Equal(t, want, r.Dialects(), version)
	}
	for _, bad := range []string{"", "3", "3.4.x", "3.4.3.1", "-3.4", "3.70000"} {
		_, ok := ParseRelease(bad)
		assert.False(t, ok, bad)
	}
	assert.Equal(t, "traffic.conf of Cumulus Linux 3.5 to 4.3", (T3 | T4).String())
	assert.Equal(t, "traffic.conf of Cumulus Linux 3.4 or qos_infra.conf of Cumulus Linux 5.x", (T2 | I2).String())
	assert.Equal(t, []string{"traffic.conf", "qos_features.conf", "qos_infra.conf", "datapath.conf"}, Files)
	assert.Equal(t, QoSFeatures, OfFile("qos_features.conf"))
	assert.Equal(t, AnyFile, OfFile("running.conf"))
	assert.True(t, (T1 | D).Only(T1))
	assert.False(t, (T1 | Q1).Only(T1))
}

// TestSpelling: the spelling of each release, and how a file changes it.
func TestSpelling(t *testing.T) {
	spelling := func(version string, lines ...string) Spelling {
		r, _ := ParseRelease(version)
		s, ok := Documented(r)
		require.True(t, ok)
		var file []Line
		for _, l := range lines {
			file = append(file, Line{Key: l})
		}
		return s.Shown(file)
	}
	pattern := func(k *Key) string {
		if k == nil {
			return ""
		}
		return k.Pattern
	}
	const (
		one, set   = "traffic.packet_priority_source", "traffic.packet_priority_source_set"
		none, rewr = "traffic.remark_packet_priority", "traffic.packet_priority_remark_set"
		t2, t3     = "traffic.cos_N.packet_priorities.8021p", "traffic.cos_N.priority_source.8021p"
		low, cable = ".G.min_threshold_bytes", "pfc.G.cable_length"
	)
	for _, tt := range []struct {
		version, shown                                string
		trust, pcp, remark, marking, threshold, cable string
	}{
		{"3.1.2", "", one, "", none, "ecn", "", ""},
		{"3.2.1", "ecn.x.min_threshold_bytes", one, "", none, "ecn", "ecn" + low, ""},
		{"3.4.3", "", one, "", none, "ecn", "ecn" + low, ""},
		{"3.4.3", "traffic.cos_0.packet_priorities.dscp", set, t2, none, "ecn", "ecn" + low, ""},
		{"3.1.2", "traffic.cos_0.priority_source.8021p", set, t3, rewr, "ecn", "ecn" + low, ""},
		{"3.1.2", "ecn_red.x.cos_list", one, "", none, "ecn_red", "ecn_red" + low, ""},
		{"3.7.16", "", set, t3, rewr, "ecn", "ecn" + low, ""},
		{"3.7.16", "ecn_red.x.cos_list", set, t3, rewr, "ecn_red", "ecn_red" + low, ""},
		{"4.0.0", "", set, t3, rewr, "ecn_red", "ecn_red" + low, ""},
		{"4.1.1", "ecn.x.min_threshold_bytes", set, t3, rewr, "ecn", "ecn" + low, ""},
		{"4.1.1", "ecn.x.cos_list ecn_red.x.cos_list", set, t3, rewr, "ecn_red", "ecn_red" + low, ""},
		{"4.2.1", "ecn.port_group_list", set, t3, rewr, "ecn", "ecn" + low, ""},
		{"4.3.0", "ecn.port_group_list", set, t3, rewr, "ecn_red", "ecn_red" + low, cable},
		{"4.1.1", "link_pause.x.cable_length", set, t3, rewr, "ecn_red", "ecn_red" + low, cable},
		{"4.2.0", "", set, t3, rewr, "ecn_red", "ecn_red" + low, ""},
		{"4.2.0", "pfc.x.cable_length", set, t3, rewr, "ecn_red", "ecn_red" + low, cable},
		{"4.3.0", "", set, t3, rewr, "ecn_red", "ecn_red" + low, cable},
	} {
		s := spelling(tt.version, strings.Fields(tt.shown)...)
		name := tt.version + " showing " + tt.shown
		assert.Equal(t, tt.trust, pattern(s.Key(Switch, TrustOne))+pattern(s.Key(Switch, TrustSet)), name)
		assert.Equal(t, tt.pcp, pattern(s.Key(Switch, MapPCP)), name)
		assert.Equal(t, tt.remark, pattern(s.Key(Switch, RewriteOne))+pattern(s.Key(Switch, RewriteSet)), name)
		assert.Equal(t, Feature(tt.marking), s.Marking(), name)
		assert.Equal(t, tt.threshold, pattern(s.Key(s.Marking(), MinThreshold)), name)
		assert.Equal(t, tt.cable, pattern(s.Key(PFC, CableLength)), name)
	}
	_, ok := Documented(Release{6, 0})
	assert.False(t, ok)
	for r, want := range map[Release][2]string{{4, 4}: {"Q1", "I1"}, {5, 3, 1}: {"Q2", "I2"}, {5, 9}: {"Q2", "I2"}} {
		s, ok := Documented(r)
		require.True(t, ok)
		infra, ok := Infra(r)
		require.True(t, ok)
		assert.Equal(t, want, [2]string{s.Dialect(), infra.Dialect()})
		lines, _ := Parse([]byte("#ecn_red.port_group_list = []\n#traffic.cos_0.packet_priorities.dscp = [0]\n"))
		assert.Equal(t, s, s.Shown(lines), "files and manuals of these releases agree")
		assert.Equal(t, []Spelling{s}, s.Possible())
		assert.Equal(t, map[bool]Feature{true: DefaultECN, false: DefaultECNRED}[want[0] == "Q1"], s.DefaultMarking())
	}
	_, ok = Infra(Release{4, 3})
	assert.False(t, ok)
	assert.False(t, spelling("3.4.3", "traffic.cos_0.packet_priorities.dscp").InManual())
	assert.True(t, spelling("3.4.3").InManual())
	old, ok := Documented(Release{2, 5})
	assert.True(t, ok)
	assert.Empty(t, old.Marking())
}

// TestPossible: for any signs in a file, its keys are among those of the possible spellings.
func TestPossible(t *testing.T) {
	for _, from := range []Release{{3, 1, 2}, {3, 4, 3}, {3, 7}, {4, 1}, {4, 3}} {
		s, _ := Documented(from)
		keys := map[*Key]bool{}
		for _, p := range s.Possible() {
			for _, k := range accepted(p) {
				keys[k] = true
			}
		}
		for shown := range signs(1 << 5) {
			var lines []Line
			for _, e := range evidence {
				if e.of&shown != 0 {
					lines = append(lines, Line{Key: e.head + "x" + e.part + "x" + e.tail})
				}
			}
			for _, k := range accepted(s.Shown(lines)) {
				assert.True(t, keys[k], "%v showing %v: %s", from, lines, k.Pattern)
			}
		}
	}
}

// accepted returns every key that a spelling has.
func accepted(s Spelling) (out []*Key) {
	for i := range Keys() {
		k := &Keys()[i]
		idle := slices.Contains(Marking, k.Feature()) && k.Feature() != s.Marking()
		if k.Means != 0 && !idle && s.Key(k.Feature(), k.Means) == k {
			out = append(out, k)
		}
	}
	return out
}

func TestTakes(t *testing.T) {
	for _, tt := range []struct {
		of      Type
		in      Dialects
		yes, no string // separated by spaces; _ is a space
	}{
		{Boolean, T1, "true FALSE \"true\"", "yes 1 [true]"},
		{Size, T1, "0 70000 2147483647", "-1 +1 70,000 70k 2147483648 [1] 1.5"},
		{Percent, T1, "0 100", "101 50.0"},
		{Share, D, "0 50.0 100", "101 x"},
		{DWRRWeight, T1, "0 127", "128"},
		{Cos, Q1, "0 7", "8"},
		{DWRR, T1, "dwrr", "wrr DWRR"},
		{Field, T1, "802.1p dscp", "8021p none [dscp]"},
		{FieldOrNone, T1, "802.1p none", "dscp []"},
		{Fields, T3, "[] [802.1p,_dscp]", "dscp [port] [802.1p,]"},
		{Fields, Q1, "[port,dscp]", "[cos]"},
		{FieldValues, T1, "[] [0,63]", "[64] 0,1"},
		{PCPs, T3, "[0,_7]", "[8] [0-3]"},
		{DSCPs, T3, "[63]", "[64]"},
		{OnePCP, T3, "[4]", "[] [1,2] [8]"},
		{CosList, T1, "[] [0,1,_2]", "[8] 4 [4_5] [1-3] [4"},
		{RatePair, T4, "[5,5] [0,100]", "[5] [] [1,2,3]"},
		{Names, T1, "[] [a,_b]", "a [a,] [" + strings.Repeat("n", LongestName+1) + "]"},
		{Ports, T1, "swp1 swp1-swp4,swp6 swp6s0-swp6s7", "eth0 swp4-swp1 swp1s8 allports [swp1] swp1,"},
		{Ports, Q2, "allports [swp1,swp2]", "everything"},
		{Anything, T4, "x [", ""},
	} {
		for want, list := range map[bool]string{true: tt.yes, false: tt.no} {
			for v := range strings.FieldsSeq(list) {
				v = strings.ReplaceAll(v, "_", " ")
				assert.Equal(t, want, tt.of.Takes(v, tt.in), "%d: %q", tt.of, v)
			}
		}
		assert.Equal(t, tt.of == Anything, tt.of.Takes("", tt.in))
		assert.Equal(t, tt.of == Anything, tt.of.Takes("é", tt.in))
	}
	many := "[0" + strings.Repeat(",0", MostElements) + "]"
	assert.False(t, CosList.Takes(many, T1))
	assert.Equal(t, "[]", RewrittenFields.Empty())
	assert.Equal(t, "none", FieldOrNone.Empty())
	assert.Empty(t, OnePCP.Empty())
}

func TestNearest(t *testing.T) {
	for wrote, meant := range map[string]string{
		"pfc.a.xof_size": "pfc.a.xoff_size", "pfc.a.xoff": "pfc.a.xoff_size", "pcf.a.cos_list": "pfc.a.cos_list",
		"traffic.cos_1.packet_priority": "traffic.cos_1.packet_priorities", "sflow.rate": "", "pfc.a.b.c": "", "cut_through_enabel": "",
	} {
		assert.Equal(t, meant, Nearest(strings.Split(wrote, ".")), wrote)
	}
	assert.Equal(t, Release{4, 3}, Shaping.Since())
	assert.Equal(t, Release{}, PFC.Since())
	assert.True(t, PFC.Known())
	assert.False(t, Feature("hash_config").Known())
	assert.False(t, Feature("sflow").Known())
}

// TestLines: the parts of a line, and the reasons why a file is not edited.
func TestLines(t *testing.T) {
	lines, err := Parse([]byte("  a.b\t= [1]  # why\r\n# c = 2\n= 3\nx\n\ny = \"a # b\""))
	require.NoError(t, err)
	require.Len(t, lines, 6)
	assert.Equal(t, Line{Head: "  a.b\t= ", Value: "[1]", Tail: "  # why", End: "\r\n", Key: "a.b"}, lines[0])
	assert.Equal(t, Line{Head: "# c = 2", End: "\n", Key: "c", Hidden: true}, lines[1])
	assert.False(t, lines[2].Active() || lines[3].Active())
	assert.True(t, lines[4].Blank())
	assert.Equal(t, `"a # b"`, lines[5].Value)
	assert.Equal(t, Values{"a.b": "[1]", "y": `"a # b"`}, ValuesOf(lines))
	for content, why := range map[string]string{"a\x00": "NUL", "a\rb\n": "carriage returns", strings.Repeat("x", MaxFile+1): "1 MiB"} {
		_, err := Parse([]byte(content))
		assert.Regexp(t, regexp.QuoteMeta(why), err)
	}
	v := Values{"pfc.a.cos_list": "[4]"}
	got, ok := v.Get(PFC, GroupCos, -1, "a")
	assert.True(t, ok)
	assert.Equal(t, []string{"4"}, Items(got))
	assert.Equal(t, []string{"a", "b"}, Items(" a,, b "))
}
