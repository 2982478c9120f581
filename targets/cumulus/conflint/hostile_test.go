package conflint_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/conflint"
	"github.com/rocec/rocec/targets/target/lint"
)

// show returns the printed findings of some files.
func show(t testing.TB, files []lint.File) (string, lint.Result) {
	t.Helper()
	r := conflint.Check(files)
	p := diag.Printer{Files: map[string][]byte{}, Most: 20}
	for _, f := range files {
		p.Files[f.Name] = f.Data
	}
	var b bytes.Buffer
	require.NoError(t, p.Print(&b, r.Diagnostics))
	return b.String(), r
}

func one(data string) []lint.File {
	return []lint.File{{Name: "traffic.conf", Data: []byte(data)}}
}

// TestNotAFile: a file that is not a settings file gets exactly one finding, with a place.
func TestNotAFile(t *testing.T) {
	for _, tc := range []struct {
		name, data, code, at, text string
	}{
		{"empty", "", "conf-dialect", "1:1", "No line of this file sets a key"},
		{"only comments", "# traffic.cos_0.packet_priorities = [0]\n", "conf-dialect", "1:1", "2.5 to 3.4; nothing in them is " +
			"in force"},
		{"prose", "# a\n\nsome words\n", "conf-syntax", "3:1", "no \"=\""},
		{"a page of prose", "some words\nmore words\nand more\n", "conf-syntax", "1:1", "no \"=\""},
		{"other settings", "sflow.rate = 1\n", "conf-dialect", "1:1", "right file"},
		{"NUL", "pfc.port_group_list = []\nx\x00y\n", "conf-unreadable", "2:2", "NUL"},
		{"not UTF-8", "pfc.port_group_list = []\n# \xe4\n", "conf-unreadable", "2:3", "not UTF-8"},
		{"old line ends", "pfc.port_group_list = []\rx\r", "conf-unreadable", "1:25", "carriage return"},
		{"a byte order mark", "\xef\xbb\xbfpfc.port_group_list = []\n", "conf-unreadable", "1:1", "byte order mark"},
		{"too large", strings.Repeat("# x\n", conflint.MaxFile/4) + "#", "conf-unreadable", "1:1", "larger than 1 MiB"},
		{"too many lines", strings.Repeat("\n", 100_001), "conf-unreadable", "100001:1", "more than 100,000 lines"},
		{"UTF-16", "p\x00f\x00c\x00", "conf-unreadable", "1:2", "NUL"},
		{"beside letters of two bytes", "# é\npfc.port_group_list = [ü]\n", "conf-value", "2:23", "characters"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, r := show(t, one(tc.data))
			require.NotEmpty(t, r.Diagnostics)
			d := r.Diagnostics[len(r.Diagnostics)-1]
			if tc.code == "conf-dialect" {
				d = r.Diagnostics[0]
			}
			require.Equal(t, tc.code, d.Code)
			require.Equal(t, tc.at, fmt.Sprintf("%d:%d", d.At.Start.Line, d.At.Start.Column))
			require.Contains(t, d.Detail, tc.text)
			require.True(t, r.Diagnostics.HasErrors())
		})
	}
	r := conflint.Check([]lint.File{{Name: "a/traffic.conf", Why: "It is a pipe."}})
	require.Len(t, r.Diagnostics, 1)
	require.Equal(t, "a/traffic.conf cannot be judged. It is a pipe.", r.Diagnostics[0].Detail)
}

// TestHuge: huge and repetitive files are judged in one pass over them, and the findings stay short.
func TestHuge(t *testing.T) {
	const n = 1 << 20
	repeat := func(s string) string { return strings.Repeat(s, n/len(s)) }
	var groups, ports, cos, unknown strings.Builder
	groups.WriteString("pfc.port_group_list = [a]\n")
	for i := 0; groups.Len() < n-100; i++ {
		fmt.Fprintf(&groups, "pfc.g%d.port_set = swp%d-swp%d\n", i, i%900+1, i%900+50)
	}
	fmt.Fprint(&ports, "pfc.port_group_list = [a,b]\nlink_pause.port_group_list = [a,b]\npfc.a.port_set = ")
	for i := 0; ports.Len() < n-100; i++ {
		fmt.Fprintf(&ports, "swp%d,", i%9000+1)
	}
	for i := 0; cos.Len() < n-100; i++ {
		fmt.Fprintf(&cos, "source.g%d.cos_%d.priority_source.dscp = [%d]\n", i%5000, i%8, i%64)
	}
	for i := 0; unknown.Len() < n-100; i++ {
		fmt.Fprintf(&unknown, "pfc.roce.xof_siz%d = 1\n", i)
	}
	for name, data := range map[string]string{
		"one line":           "pfc.port_group_list = [" + repeat("a,")[:n-30] + "]",
		"one list of names":  "pfc.port_group_list = [" + repeat("a,b,")[:n-30],
		"bare words":         repeat("x\n"),
		"one bare word":      repeat("x"),
		"equal signs":        repeat("="),
		"one key":            repeat("pfc.a.xoff_size = 1\n"),
		"commas":             "pfc.a.cos_list = [" + repeat(",")[:n-30] + "]",
		"a long key":         "pfc.port_group_list = [" + repeat("a")[:n/2] + "]\npfc." + repeat("a")[:n/2-100] + ".xoff_size = x",
		"dots":               repeat(".")[:n-5] + " = 1",
		"groups":             groups.String(),
		"ports":              ports.String(),
		"maps":               cos.String(),
		"unknown keys":       unknown.String(),
		"a long value":       "scheduling.algorithm = " + repeat("é")[:n-30],
		"a long list of cos": "priority_group.bulk.cos_list = [" + repeat("1,2,3,9,")[:n-40] + "]",
	} {
		t.Run(name, func(t *testing.T) {
			text, r := show(t, one(data))
			require.NotEmpty(t, r.Diagnostics)
			require.LessOrEqual(t, len(r.Diagnostics), 1000)
			require.Less(t, len(text), 200_000)
		})
	}
}

// TestMany: findings beyond the first hundred of a code are counted, and a note reports their number.
func TestMany(t *testing.T) {
	text, r := show(t, one("pfc.port_group_list = []\n"+strings.Repeat("x\n", 250)))
	require.Equal(t, 100, r.Diagnostics.Count(diag.Error))
	require.Equal(t, "150 more of this code were left out.", r.Diagnostics[99].Notes[0].Message)
	require.Contains(t, text, "... and 80 more with the code conf-syntax")
}

// Spellings with the same meaning get the same findings.
func TestSameMeaning(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "sound", "t1.conf"))
	require.NoError(t, err)
	for name, other := range map[string]string{
		"CRLF":            strings.ReplaceAll(string(data), "\n", "\r\n"),
		"no last newline": strings.TrimRight(string(data), "\n"),
		"trailing blanks": strings.ReplaceAll(string(data), "\n", " \t\n"),
		"leading blanks":  " " + strings.ReplaceAll(string(data), "\n", "\n  "),
		"comments":        strings.ReplaceAll(string(data), "]\n", "] # [9]\n"),
		"wide":            strings.ReplaceAll(strings.ReplaceAll(string(data), ",", " , "), "=", "   =  "),
		"narrow":          strings.ReplaceAll(string(data), " = ", "="),
		"upper case":      strings.ReplaceAll(string(data), "true", "TRUE"),
		"quoted":          strings.ReplaceAll(strings.ReplaceAll(string(data), "802.1p", `"802.1p"`), "18000", `"18000"`),
	} {
		t.Run(name, func(t *testing.T) {
			require.NotEqual(t, string(data), other)
			text, r := show(t, one(other))
			require.Empty(t, text)
			require.Equal(t, []string{"traffic.conf of Cumulus Linux 3.1.1 to 3.4"}, dialects(r))
		})
	}
}

// Files of one switch are judged together, files of two switches are not.
func TestDevices(t *testing.T) {
	features, err := os.ReadFile(filepath.Join("testdata", "sound", "q1", "qos_features.conf"))
	require.NoError(t, err)
	infra := []byte("ingress_service_pool.0.percent = 100.0\n")
	for _, tc := range []struct {
		a, b string
		one  bool
	}{
		{"leaf01/qos_features.conf", "leaf01/qos_infra.conf", true},
		{"leaf01/qos_features.conf", "leaf02/qos_infra.conf", false},
		{"leaf01-qos_features.conf", "leaf01-qos_infra.conf", true},
		{"leaf01-qos_features.conf", "leaf02-qos_infra.conf", false},
		{"x/leaf01/etc/cumulus/datapath/qos/qos_features.conf", "x/leaf01/etc/mlx/datapath/qos/qos_infra.conf", true},
		{"x/leaf01/etc/cumulus/datapath/qos/qos_features.conf", "x/leaf02/etc/mlx/datapath/qos/qos_infra.conf", false},
		{"etc/cumulus/datapath/qos/qos_features.conf", "etc/mlx/datapath/qos/qos_infra.conf", true},
	} {
		r := conflint.Check([]lint.File{{Name: tc.a, Data: features}, {Name: tc.b, Data: infra}})
		require.Equal(t, tc.one, r.Diagnostics.HasErrors(), "%s %s", tc.a, tc.b)
	}
}

// TestOrder: the order of lines does not change the findings, except for the order of two lines that set the same key.
func TestOrder(t *testing.T) {
	names, err := filepath.Glob("testdata/conf-[a-ce-z]*/bad.conf")
	require.NoError(t, err)
	require.Greater(t, len(names), 30)
	codes := func(data string) string {
		found := map[string]bool{}
		for _, d := range conflint.Check(one(data)).Diagnostics {
			found[fmt.Sprint(d.Code, " ", d.Severity)] = true
		}
		return strings.Join(slices.Sorted(maps.Keys(found)), ", ")
	}
	for _, name := range names {
		t.Run(filepath.Base(filepath.Dir(name)), func(t *testing.T) {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			lines := strings.SplitAfter(string(data), "\n")
			rapid.Check(t, func(t *rapid.T) {
				require.Equal(t, codes(string(data)), codes(strings.Join(rapid.Permutation(lines).Draw(t, "lines"), "")))
			})
		})
	}
}

// TestBeside: a second file does not hide keys that the dialect of the first file needs.
func TestBeside(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "sound", "t1.conf"))
	require.NoError(t, err)
	cut := bytes.Replace(data, []byte("pfc.roce.xon_delta = 2000\n"), nil, 1)
	r := conflint.Check([]lint.File{{Name: "a/datapath.conf", Data: []byte("flow_control.service_pool = " +
		"1\ningress_service_pool.1.percent = 50\negress_service_pool.1.percent = 100\n")}, {Name: "a/traffic.conf", Data: cut}})
	require.Len(t, r.Diagnostics, 1)
	require.Equal(t, "conf-group-incomplete", r.Diagnostics[0].Code)
	require.Equal(t, []string{"datapath.conf of Cumulus Linux 2.5 to 4.3", "traffic.conf of Cumulus Linux 3.1.1 to " +
		"3.4"}, dialects(r))
}

// The factory's files of a switch cause no error and no warning.
func TestFactory(t *testing.T) {
	for _, f := range read(t, filepath.Join("..", "factory")) {
		text, r := show(t, []lint.File{f})
		require.Equal(t, len(r.Diagnostics), r.Diagnostics.Count(diag.Notice), text)
		require.NotEmpty(t, r.Files[0].Dialect)
	}
}

// The same note about many files is reported once.
func TestFleet(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "conf-cos-3", "bad.conf"))
	require.NoError(t, err)
	var files []lint.File
	for i := range 12 {
		files = append(files, lint.File{Name: fmt.Sprintf("leaf%02d/traffic.conf", i), Data: data})
	}
	r := conflint.Check(files)
	require.Len(t, r.Diagnostics, 1)
	require.Equal(t, "leaf00/traffic.conf", r.Diagnostics[0].At.Filename)
	require.Equal(t, "The same holds in 11 further files.", r.Diagnostics[0].Notes[0].Message)
}

func TestKnown(t *testing.T) {
	for name, want := range map[string]bool{
		"traffic.conf": true, "a/b/traffic.conf": true, "leaf01-traffic.conf": true, "leaf01_qos_infra.conf": true, "leaf01.datapath.conf": true,
		"traffic.conf.bak": false, "nontraffic.conf": false, "traffic": false, "switchd.conf": false, "": false, "qos_features.conf": true,
	} {
		require.Equal(t, want, conflint.Linter.Knows(name), name)
	}
}

// FuzzCheck: for any content of a file, Check does not panic, and every place is inside the file. A second run gives the same findings,
// and the printed text stays short.
func FuzzCheck(f *testing.F) {
	for _, pattern := range []string{"testdata/*/bad.conf", "testdata/sound/*.conf", "testdata/*/bad/*.conf", "testdata/sound/q1/*.conf"} {
		names, err := filepath.Glob(pattern)
		require.NoError(f, err)
		require.NotEmpty(f, names)
		for _, name := range names {
			data, err := os.ReadFile(name)
			require.NoError(f, err)
			f.Add(data, strings.Contains(name, "sound"))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, named bool) {
		files := []lint.File{{Name: "x.txt", Data: data}}
		if named {
			files[0].Name = "traffic.conf"
		}
		text, r := show(t, files)
		again, _ := show(t, files)
		require.Equal(t, text, again)
		for _, d := range r.Diagnostics {
			require.NotEmpty(t, d.Detail)
			require.LessOrEqual(t, 0, d.At.Start.Byte)
			require.LessOrEqual(t, d.At.Start.Byte, d.At.End.Byte)
			require.LessOrEqual(t, d.At.End.Byte, len(data))
			require.Equal(t, 1+bytes.Count(data[:d.At.Start.Byte], []byte("\n")), d.At.Start.Line)
			require.NotContains(t, d.Detail, "%!")
		}
		require.Less(t, len(text), 200_000+10*len(data))
	})
}

// TestIdle: a file without a judged key is correct if another file of the switch has judged keys. Alone, it is an error.
func TestIdle(t *testing.T) {
	features, err := os.ReadFile(filepath.Join("testdata", "sound", "q1", "qos_features.conf"))
	require.NoError(t, err)
	infra, err := os.ReadFile(filepath.Join("testdata", "sound", "q1", "qos_infra.conf"))
	require.NoError(t, err)
	hashing := []byte("hash_config.enable = true\nsymmetric_hash_enable = TRUE\n")
	const nothing = "no key in it that rocec judges"
	text, r := show(t, []lint.File{
		{Name: "a/datapath.conf", Data: []byte("hash_config.enable = true\n")},
		{Name: "a/qos_features.conf", Data: features},
		{Name: "a/qos_infra.conf", Data: infra},
		{Name: "a/traffic.conf", Data: hashing},
	})
	require.Empty(t, text)
	require.Equal(t, nothing, r.Files[0].Dialect)
	require.Equal(t, nothing, r.Files[3].Dialect)
	for _, f := range r.Files {
		require.Empty(t, f.Why, f.Dialect)
		require.False(t, f.Plain, f.Dialect)
	}

	_, r = show(t, []lint.File{{Name: "a/qos_features.conf", Data: features}, {Name: "a/qos_infra.conf", Data: []byte("# all\n")}})
	require.Len(t, r.Diagnostics, 1, "PFC is on, and has no pool")
	require.Equal(t, "conf-pools", r.Diagnostics[0].Code)

	for _, f := range []lint.File{
		{Name: "a/traffic.conf", Data: hashing},
		{Name: "a/qos_infra.conf", Data: []byte("# all\n")},
		{Name: "a/qos_features.conf", Data: hashing},
	} {
		_, r = show(t, []lint.File{f})
		require.Len(t, r.Diagnostics, 1, f.Name)
		require.Equal(t, "conf-dialect", r.Diagnostics[0].Code)
	}
}

// TestPartialMap: an incomplete map, such as the one in the vendor's sample, is a note if nothing depends on it. Otherwise it is a
// warning.
func TestPartialMap(t *testing.T) {
	const data = "traffic.packet_priority_source_set = [dscp]\ntraffic.cos_0.priority_source.dscp = [0,1]\n"
	const lossless = "ecn.port_group_list = [a]\necn.a.cos_list = [0]\necn.a.port_set = swp1\n"
	for data, want := range map[string]string{data: "note", data + lossless: "warning"} {
		_, r := show(t, one(data))
		require.Len(t, r.Diagnostics, 1)
		require.Equal(t, "conf-value-unmapped", r.Diagnostics[0].Code)
		require.Equal(t, want, r.Diagnostics[0].Severity.String())
	}
}

// TestLeftOut: the count over several files of a switch is the sum of the findings that each file left out.
func TestLeftOut(t *testing.T) {
	bare := strings.Repeat("x\n", 101)
	_, r := show(t, []lint.File{
		{Name: "a/datapath.conf", Data: []byte("flow_control.service_pool = 1\n" + bare)},
		{Name: "a/traffic.conf", Data: []byte("pfc.port_group_list = []\n" + bare)},
	})
	require.Len(t, r.Diagnostics, 200)
	var notes []string
	for _, d := range r.Diagnostics {
		for _, n := range d.Notes {
			notes = append(notes, n.Message)
		}
	}
	require.Equal(t, []string{"2 more of this code were left out."}, notes)
}

// TestControlCharacters: a diagnostic contains no control character of the file that it quotes.
func TestControlCharacters(t *testing.T) {
	_, r := show(t, one("pfc.port_group_list = []\n\x1b[31mred = 1\npfc.\u202ea = 1\n\u009bm\nscheduling.algorithm = \x7f\n"))
	require.Len(t, r.Diagnostics, 4)
	for _, d := range r.Diagnostics {
		require.Equal(t, diag.Escape(d.Detail), d.Detail)
	}
}

// TestPairOfNothing: a list with fewer than the required two elements is one error. Its elements are not judged.
func TestPairOfNothing(t *testing.T) {
	for _, value := range []string{"[,]", "[,5]", "[5,]", "[]", "[5]"} {
		_, r := show(t, one("shaping.port_group_list = [a]\nshaping.a.port_set = swp1\nshaping.a.egr_queue_1.shaper = "+value+"\n"))
		require.Len(t, r.Diagnostics, 1, value)
		require.Equal(t, "conf-value", r.Diagnostics[0].Code)
		require.Equal(t, 3, r.Diagnostics[0].At.Start.Line)
	}
}

// TestKeysOfTheSwitchInAGroup: a key that exists only for the whole switch is an unknown key in a group of ports. The key causes no other
// finding.
func TestKeysOfTheSwitchInAGroup(t *testing.T) {
	for _, key := range []string{"packet_priority_source = dscp", "cos_0.packet_priorities = [1]", "cos_0.packet_priorities.dscp = [1]"} {
		_, r := show(t, one("traffic.packet_priority_source_set = [802.1p]\nsource.port_group_list = [a]\nsource.a.port_set = swp1\n"+
			"source.a."+key+"\n"))
		require.NotEmpty(t, r.Diagnostics)
		last := r.Diagnostics[len(r.Diagnostics)-1]
		require.Equal(t, "conf-unknown-key", last.Code)
		require.Equal(t, 4, last.At.Start.Line)
	}
}
