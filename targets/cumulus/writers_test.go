package cumulus

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

// writersOf returns the findings about other writers for an answer.
func writersOf(t testing.TB, d *ir.Device, nclu, content, failed string) (said []string) {
	for _, w := range watches(d) {
		if w.Name != "writers" {
			continue
		}
		answer := nclu + fileBegin + content
		found, facts := w.Judge([]byte(answer), failed)
		require.Empty(t, facts)
		for _, one := range found {
			assert.Equal(t, d.At, one.At, "at the switch's line")
			assert.NotContains(t, one.Detail, d.Name, "equal switches share one text")
			said = append(said, fmt.Sprintf("%s %s: %s", one.Severity, strings.TrimPrefix(one.Code, "cumulus-other-"), one.Detail))
		}
		return said
	}
	t.Fatal("no watch asks for other writers")
	return nil
}

// TestWritersOfOthers: a tool that makes the file is the writer of a switch that others write, and is asked for what rocec does elsewhere.
func TestWritersOfOthers(t *testing.T) {
	const none = ncluEnded + "0\n\n"
	content := "# Ansible managed: do not edit\npfc.port_group_list = [edge]\npfc.edge.port_set = swp1\npfc.edge.cos_list = [3]\n" +
		"default_egress_sched.egr_queue_4.bw_percent = 12\n"
	d := canonicalSample(t, "sn2700", "4.3.0", 2).sw
	own := strings.Join(writersOf(t, d, none, content, ""), "\n")
	assert.Contains(t, own, "a tool writes")
	assert.Contains(t, own, "rocec removes the fabric's ports")
	assert.Contains(t, own, "rocec writes weights")
	d.ByOthers = true
	theirs := strings.Join(writersOf(t, d, none, content, ""), "\n")
	assert.NotContains(t, theirs, "a tool writes")
	assert.NotContains(t, theirs, "rocec")
	assert.Contains(t, theirs, "The writer of the file must remove the fabric's ports")
	assert.Contains(t, theirs, "must turn these lines into comments")
	assert.Contains(t, strings.Join(writersOf(t, d, "net add roce lossless\n"+none, content, ""), "\n"), "NCLU has", "a second writer")
}

// TestWriters: what shows that others write a traffic.conf is found and named, and a file of the factory or of rocec shows nothing.
func TestWriters(t *testing.T) {
	const none = ncluEnded + "0\n\n"
	group := func(feature, name, ports, more string) string {
		return fmt.Sprintf("%[1]s.port_group_list = [%[2]s]\n%[1]s.%[2]s.port_set = %[3]s\n%[4]s", feature, name, ports, more)
	}
	preset := group("pfc", "ROCE_PFC", "swp1-swp4", "pfc.ROCE_PFC.cos_list = [3]\n")
	leftover := "pfc.port_group_list = []\npfc.ROCE_PFC.cos_list = [3]\npfc.ROCE_PFC.port_set = swp1\n"
	queues := "default_egress_sched.egr_queue_4.bw_percent = 12\n"
	for _, c := range []struct {
		name, version, nclu, content string
		want                         []string // the beginning of each finding, and a later part behind "…"
	}{
		{"nothing is there", "4.3.0", none, "", nil},
		{"no NCLU", "4.3.0", "", "x = 1\n", nil},
		{
			"the command of 3.7", "3.7.16", "net add interface swp1 storage-optimized pfc\n" + none, "",
			[]string{`warning writer: NCLU has "net add interface swp1 storage-optimized pfc"`},
		},
		{"the command of 4.3", "4.3.0", "net add roce lossless\n" + none, "", []string{`warning writer: NCLU has "net add roce lossless"`}},
		{"many", "4.3.0", strings.Repeat("net add qos egress-sched x\n", 9), "", []string{`warning writer: …and 6 more`}},
		{"a description is none", "4.3.0", "net add interface swp1 alias to the roce rack\n" + none, "", nil},
		{"words within words do not count", "4.3.0", "net add interface roce0 ip address 10.0.0.1/24\n" + none, "", nil},
		{"a message is none", "4.3.0", "ERROR: roce is not a keyword\n" + none, "", nil},

		{
			"NCLU failed, and the file shows nothing", "4.1.1", ncluEnded + "1\n", "x = 1\n",
			[]string{"note writer: The commands of NCLU were not read: …exit status 1"},
		},
		{"groups, and NCLU has nothing", "4.1.1", none, leftover, []string{"note writer: …has no command"}},
		{"groups, and NCLU failed", "4.1.1", ncluEnded + "124\n", leftover, []string{"warning writer: …exit status 124"}},
		{"groups, and no NCLU", "4.1.1", "", leftover, []string{"note writer: …no list names"}},
		{
			"groups in force, and no NCLU", "4.1.1", "", preset,
			[]string{"warning writer: …it is unknown whether NCLU still has", `warning settings: Other writers set PFC…"ROCE_PFC"`},
		},
		{"groups in comments", "4.1.1", "", "# " + strings.ReplaceAll(preset, "\n", "\n# "), nil},

		{
			"a template", "3.4.3", "", "# Ansible managed: do not edit\nx = 1\n",
			[]string{"warning writer: By line 1 (# Ansible managed: do not edit) a tool writes"},
		},
		{"a template not filled in", "3.4.3", "", "x = 1 # {{ weight }}\n", []string{"warning writer: By line 1 (# {{ weight }}) a tool writes"}},
		{"another tool", "3.4.3", "", "x = 1\n\n#managed by puppet\n", []string{"warning writer: By line 3"}},
		{"a value is not a comment", "3.4.3", "", "x = ansible\n", nil},

		{"shares of queues", "4.3.0", "", queues, []string{"warning settings: In traffic.conf, default_egress_sched gives queues shares"}},
		{"shares of queues before 4.3", "4.2.1", "", queues, nil}, // no key there, so nothing is in force
		{"shares of queues in comments", "4.3.0", "", "# " + queues, nil},
		{
			"shares by ports", "4.3.0", "", group("egress_sched", "a", "swp1,swp9", ""),
			[]string{"warning settings: …shares of queues…removes the fabric's ports"},
		},
		{"at other ports", "4.3.0", "", group("egress_sched", "a", "swp9", "") + group("source", "b", "swp10", "") +
			group("pfc", "c", "swp11", ""), nil},
		{"trust by ports", "3.5.0", "", group("source", "a", "swp1", ""), []string{"warning settings: …the trusted field"}},
		{"marks by ports", "3.5.0", "", group("remark", "a", "swp1", ""), []string{"warning settings: …the PCP and DSCP of outgoing packets"}},
		{"link pause", "3.4.3", "", group("link_pause", "a", "swp1", ""), []string{"warning settings: …link pause"}},
		{"a set that cannot be taken apart", "3.4.3", "", group("pfc", "a", "swp1s0-swp7", ""), []string{"warning settings: "}},
		{"hostile names", "3.4.3", "", group("pfc", "\x1b[31ma", "swp1", ""), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := canonicalSample(t, "sn2700", c.version, 2).sw
			got := writersOf(t, d, c.nclu, c.content, "")
			require.Len(t, got, len(c.want), "%q", got)
			for i, want := range c.want {
				head, rest, _ := strings.Cut(want, "…")
				assert.True(t, strings.HasPrefix(got[i], head), "%q", got[i])
				for part := range strings.SplitSeq(rest, "…") {
					assert.Contains(t, got[i], part)
				}
			}
		})
	}
}

// TestUnreadWriters: an unread writer is named, and a release without the commands is not asked for them.
func TestUnreadWriters(t *testing.T) {
	d := canonicalSample(t, "sn2700", "4.3.0", 2).sw
	for _, got := range [][]string{
		writersOf(t, d, "", "", "exit status 124"),
		said(judgeWriters(d, grammar.Spelling{}, []byte("net add roce"), "")),
	} {
		require.Len(t, got, 1)
		assert.True(t, strings.HasPrefix(got[0], "note"), got[0])
	}
	for version, asks := range map[string]bool{"3.4.3": false, "3.6.2": false, "3.7.0": true, "4.0.0": true, "4.3.0": true} {
		all := watches(canonicalSample(t, "sn2700", version, 2).sw)
		assert.Equal(t, asks, strings.Contains(all[len(all)-1].Query.Cmd, "net show"), version)
	}
}

// TestNoWriters: files of the factory, and what rocec makes of them and of files of others, have nothing in force beside rocec's settings.
func TestNoWriters(t *testing.T) {
	foreign, err := os.ReadDir("testdata/foreign")
	require.NoError(t, err)
	files := []string{"", "default_egress_sched.egr_queue_0.bw_percent = 12\negress_sched.port_group_list = [a]\negress_sched.a.port_set = " +
		"swp1-swp9\n"}
	for _, e := range foreign {
		b, err := os.ReadFile("testdata/foreign/" + e.Name())
		require.NoError(t, err)
		files = append(files, string(b))
	}
	for _, version := range []string{"3.1.1", "3.4.3", "3.5.0", "3.7.16", "4.0.0", "4.2.1", "4.3.0"} {
		s := canonicalSample(t, "sn2700", version, 2)
		factory := image(s.sw).Files[Path]
		require.Empty(t, writersOf(t, s.sw, "", factory, ""), version)
		for _, f := range append(files, factory) {
			edited := s.file(t)(f)
			for _, one := range writersOf(t, s.sw, "", edited, "") {
				assert.NotContains(t, one, "settings:", "%s of %q", version, f)
			}
		}
	}
}

// TestSilenced: shares of queues for all ports become comments, on the release that has the keys, and every other byte stays.
func TestSilenced(t *testing.T) {
	const old = "dos_enable = true\r\n\tdefault_egress_sched.egr_queue_0.bw_percent = 12 # " +
		"mine\r\ndefault_egress_sched.egr_queue_4.bw_percent=0"
	s := canonicalSample(t, "sn2700", "4.3.0", 2)
	got := s.file(t)(old)
	assert.True(t, strings.HasPrefix(got, "dos_enable = true\r\n# \tdefault_egress_sched.egr_queue_0.bw_percent = 12 # mine\r\n# "+
		"default_egress_sched.egr_queue_4.bw_percent=0\r\n"), got)
	assert.Equal(t, got, s.file(t)(got))
	assert.Contains(t, canonicalSample(t, "sn2700", "4.2.1", 2).file(t)(old), "\r\ndefault_egress_sched.egr_queue_4.bw_percent=0\r\n",
		"not a key of the release")

	files, _ := Target.Render(s.sw)
	for _, k := range files[0].Keys([]byte(old)) {
		assert.Equal(t, k.Name != "dos_enable", k.Ours, k.Name)
	}
	lint, _ := files[0].Lint([]byte(got))
	assert.Empty(t, lint, "nothing is left beside the weights")

	taken := s.file(t)("egress_sched.port_group_list = [a,b]\negress_sched.a.port_set = swp1-swp9\negress_sched.b.port_set = swp2\n")
	assert.Contains(t, taken, "egress_sched.port_group_list = [a]\negress_sched.a.port_set = swp5-swp9\negress_sched.b.port_set = swp2\n")
}

// FuzzWriters: whatever a switch answers, it is judged.
func FuzzWriters(f *testing.F) {
	f.Add(ncluEnded+"1\n"+fileBegin+"pfc.port_group_list = [ROCE_PFC]\n", "")
	f.Add("net add roce\n", "x")
	d := canonicalSample(f, "sn2700", "4.3.0", 2).sw
	_, doc, _ := documented("4.3.0")
	f.Fuzz(func(t *testing.T, answer, failed string) {
		for _, one := range judgeWriters(d, doc, []byte(answer), failed) {
			require.Equal(t, target.Escape(one.Detail), one.Detail)
		}
	})
}
