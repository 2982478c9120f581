package metrics

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/cmd/internal/metrics/metricstest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

var update = flag.Bool("update", false, "rewrite testdata, and add new metrics to the promise")

// promise has a line for each metric that a release has had.
const promise = "testdata/promise.txt"

// No metric is renamed or removed, and none gets another type, unit or label. -update only adds lines.
func TestPromise(t *testing.T) {
	data, err := os.ReadFile(promise)
	require.NoError(t, err)
	now := map[string]bool{}
	for _, m := range slices.Concat(Table, ofTeam()) {
		now[strings.Join([]string{m.Name, string(m.Kind), m.Unit, strings.Join(append([]string{LabelFabric}, m.Labels...), ",")}, " ")] = true
	}
	text := string(data)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		require.True(t, now[line], "the promise %q is broken", line)
		delete(now, line)
	}
	if *update {
		for _, m := range slices.Concat(Table, ofTeam()) {
			for line := range now {
				if strings.HasPrefix(line, m.Name+" ") {
					text += line + "\n"
				}
			}
		}
		require.NoError(t, os.WriteFile(promise, []byte(text), 0o644))
		return
	}
	require.Empty(t, now, "go test ./cmd/internal/metrics -update adds new metrics to the promise")
}

// look returns a look at two leaves with a host each, and a spine. leaf L1 was not read.
func look(t *testing.T) *Look {
	t.Helper()
	c := irtest.LeafSpine(ir.UpDown, 2, 1)
	f := c.Fabric()
	f.Routes = routes.New(f)
	f.Intents[0].Group.ECN, f.Intents[0].CNP = &ir.ECN{}, &ir.CosGroup{Name: "cnp", Cos: 6}
	size := func(n int) ir.Derived { return ir.Derived{N: n, From: []ir.Reason{{}}} }
	for _, p := range f.Ports {
		p.SetBuffers([]*ir.Buffer{{Group: c.Group, Size: size(30000), Xoff: size(10000)}})
	}
	l := &Look{
		Fabric: f, Version: "1.2.3", When: time.Unix(1_700_000_000, 999), Pauses: NewPauses(f, nil),
		Findings: []Found{{"none", "error", 1}, {"port-mtu", "warning", 2}},
	}
	for _, d := range f.Devices {
		s := Seen{Device: d, Read: d.Name != "L1", State: "good"}
		if d.Host != nil {
			s.Notices = map[string]NICNotice{d.Host.NICs[0].Name: {Sent: known(7), Handled: known(6)}}
		}
		if d.Name == "L0" {
			s.State = "drift"
		}
		s.Counters = []ir.PauseCounters{{
			Port: "p0", Priority: 3, Received: known(1), Sent: known(2), ReceivedTime: known(3_000_001), SentTime: known(4), Packets: known(5),
			Waiting: known(6), Headroom: known(7), Peak: known(8), Dropped: known(0), Cut: known(10), Marked: known(11), Cutting: known(0),
		}, {Port: "p0", Priority: 0, Received: known(1<<64 - 1)}}
		l.Devices = append(l.Devices, s)
	}
	return l
}

// find returns the metric with a name, or nil.
func find(name string) *Metric {
	if i := slices.IndexFunc(Table, func(m *Metric) bool { return m.Name == name }); i >= 0 {
		return Table[i]
	}
	return nil
}

func known(n uint64) ir.Counter { return ir.Counter{Value: n, Known: true} }

// written returns the samples of a look, by a strict reader.
func written(t require.TestingT, l *Look) (string, []metricstest.Sample) {
	var b strings.Builder
	require.NoError(t, l.Write(&b))
	samples, err := metricstest.Parse(b.String())
	require.NoError(t, err)
	return b.String(), samples
}

// The output is as in testdata, is read by a strict reader of OpenMetrics, and has each metric with the labels of the table.
func TestWrite(t *testing.T) {
	text, samples := written(t, look(t))
	const golden = "testdata/look.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(text), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), text)
	had := map[string]bool{}
	for _, s := range samples {
		m := find(s.Name)
		require.NotNil(t, m, s.Name)
		had[s.Name] = true
		require.Equal(t, []string{string(m.Kind), m.Unit, m.Help}, []string{s.Type, s.Unit, s.Help}, s.Name)
		names := []string{}
		for i := 0; i < len(s.Labels); i += 2 {
			names = append(names, s.Labels[i])
		}
		require.Equal(t, append([]string{LabelFabric}, m.Labels...), names, s.Name)
	}
	require.Len(t, had, len(Table))
}

// The strict reader refuses what OpenMetrics refuses, so that TestWrite can fail.
func TestParseRefuses(t *testing.T) {
	const head = "# TYPE a_bytes gauge\n# HELP a_bytes A.\n"
	for text, why := range map[string]string{
		head + `a_bytes{f="x"} 1`:                                          "EOF",
		head + "a_bytes{f=\"x\"} 1\n# EOF\n\n":                             "EOF",
		head + "a_bytes{f=\"x\"} 1\na_bytes{f=\"x\"} 1\n# EOF\n":           "twice",
		head + "a_bytes{f=\"x\",f=\"y\"} 1\n# EOF\n":                       "twice",
		head + "a_bytes{f=\"\\t\"} 1\n# EOF\n":                             "escape",
		head + "a_bytes{f=\"x} 1\n# EOF\n":                                 "end",
		head + "a_bytes{f=\"x\"} NaN\n# EOF\n":                             "value",
		head + "a_bytes{f=\"x\"}  1\n# EOF\n":                              "value",
		head + "a_bytes{f=\"x\"} 1\n\n# EOF\n":                             "empty",
		head + "# UNIT a_bytes seconds\na_bytes{f=\"x\"} 1\n# EOF\n":       "unit",
		head + "# HELP a_bytes B.\na_bytes{f=\"x\"} 1\n# EOF\n":            "second",
		head + "# TYPE b gauge\n# HELP b B.\nb{f=\"x\"} 1\n# EOF\n":        "no sample",
		"# TYPE b info\n# HELP b B.\nb{f=\"x\"} 1\n# EOF\n":                "type",
		"# TYPE b counter\n# HELP b B.\nb{f=\"x\"} 1\n# EOF\n":             "family",
		"# TYPE b counter\n# HELP b B.\nb_total{f=\"x\"} -1\n# EOF\n":      "below",
		head + "a_bytes{f=\"x\"} 1\n" + head + "a_bytes{f=\"y\"}\n# EOF\n": "split",
	} {
		_, err := metricstest.Parse(text)
		require.ErrorContains(t, err, why, text)
	}
}

// Debian's promtool reads the output. Its own format has TYPE and HELP with the whole name of a counter, and its linter then has no
// complaint. It takes other lines with # for comments, as the textfile collector of node_exporter does.
func TestPromtool(t *testing.T) {
	promtool := machinetest.Need(t, "promtool")
	text, _ := written(t, look(t))
	check := func(text string) string {
		cmd := exec.CommandContext(t.Context(), promtool, "check", "metrics")
		cmd.Stdin = strings.NewReader(text)
		out, _ := cmd.CombinedOutput() // the status of complaints is 3
		return string(out)
	}
	for line := range strings.Lines(check(text)) {
		require.Regexp(t, `^rocec_\w+_total no help text\n$`, line)
	}
	whole := regexp.MustCompile(`(?m)^(# (?:TYPE|HELP) )(\S+)`).ReplaceAllStringFunc(text, func(head string) string {
		if m := find(head[7:] + "_total"); m != nil {
			return head + "_total"
		}
		return head
	})
	require.Empty(t, check(whole))
	require.Contains(t, check(strings.ReplaceAll(whole, "_bytes", "_kilobytes")), "use base unit")
}

// Each field of the counters is one metric, and an unknown counter has no sample.
func TestEachFieldIsAMetric(t *testing.T) {
	l := look(t)
	fields, names := 0, map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[ir.PauseCounters]()) {
		if f.Type != reflect.TypeFor[ir.Counter]() {
			continue
		}
		fields++
		c := ir.PauseCounters{Port: "p0", Priority: 3}
		reflect.ValueOf(&c).Elem().FieldByIndex(f.Index).Set(reflect.ValueOf(known(4_000_000)))
		for i := range l.Devices {
			l.Devices[i].Counters, l.Devices[i].Notices = nil, nil
		}
		l.Devices[0].Counters = []ir.PauseCounters{c}
		_, samples := written(t, l)
		var of []metricstest.Sample
		for _, s := range samples {
			if s.Value == 4_000_000 || s.Text == "4.000000" {
				of = append(of, s)
			}
		}
		require.Len(t, of, 1, f.Name)
		require.False(t, names[of[0].Name])
		names[of[0].Name] = true
		require.Equal(t, l.Devices[0].Device.Name, of[0].Label(LabelDevice))
		if strings.HasSuffix(f.Name, "Time") {
			require.Equal(t, "4.000000", of[0].Text, "microseconds are printed as seconds")
		}
	}
	require.Equal(t, 12, fields)
}

// A device that was not read has one sample, and no other device lacks its state.
func TestUnread(t *testing.T) {
	l := look(t)
	_, samples := written(t, l)
	by := map[string][]string{}
	for _, s := range samples {
		if d := s.Label(LabelDevice); d != "" {
			by[d] = append(by[d], s.Name+" "+s.Text)
		}
	}
	require.Equal(t, []string{DeviceRead + " 0"}, by["L1"])
	require.Contains(t, by["L0"], DeviceRead+" 1")
	require.Contains(t, by["L0"], ReceivedFrames+" 18446744073709551615")
}

// The number of NICs whose notifications are not known counts NICs that were not read, and those that count only one kind. Without a
// marked intent there is no such number.
func TestNoticesUnknown(t *testing.T) {
	value := func(l *Look) string {
		_, samples := written(t, l)
		i := slices.IndexFunc(samples, func(s metricstest.Sample) bool { return s.Name == NoticesUnknown })
		if i < 0 {
			return ""
		}
		return samples[i].Text
	}
	l := look(t)
	require.Equal(t, "0", value(l))
	hosts := []int{}
	for i, d := range l.Devices {
		if d.Device.Host != nil {
			hosts = append(hosts, i)
		}
	}
	l.Devices[hosts[0]].Read = false
	require.Equal(t, "1", value(l))
	nic := l.Devices[hosts[1]].Device.Host.NICs[0].Name
	l.Devices[hosts[1]].Notices = map[string]NICNotice{nic: {Sent: known(1)}}
	require.Equal(t, "2", value(l))
	l.Devices = nil
	require.Equal(t, "2", value(l))
	l.Fabric.Intents[0].CNP = nil
	require.Empty(t, value(l))
}

// A hostile answer of a device adds no more samples than its ports have priorities: other ports, other priorities and repetitions are left
// out, and the first value counts.
func TestHostileCounters(t *testing.T) {
	l := look(t)
	for i := range l.Devices {
		d := &l.Devices[i]
		d.Counters = []ir.PauseCounters{{Port: "p0", Priority: 3, Received: known(42)}}
		for n := range 100_000 {
			d.Counters = append(d.Counters,
				ir.PauseCounters{Port: fmt.Sprint("evil\n", n), Priority: 3, Received: known(1)},
				ir.PauseCounters{Port: "p0", Priority: n%5000 - 2500, Received: known(uint64(n))})
		}
	}
	_, samples := written(t, l)
	counts := map[string]int{}
	for _, s := range samples {
		if s.Name == ReceivedFrames {
			counts[s.Label(LabelDevice)]++
			if s.Label(LabelPriority) == "3" {
				require.Equal(t, "42", s.Text)
			}
		}
	}
	require.Len(t, counts, len(l.Devices)-1)
	for device, n := range counts {
		require.Equal(t, priorities, n, device)
	}
}

// Names with any characters are read back as they are, in UTF-8. Two looks at the same values have the same bytes.
func TestNamesLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := look(t)
		name := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
		l.Fabric.Name = rapid.String().Draw(rt, "fabric")
		for i, d := range l.Fabric.Devices {
			d.Name = fmt.Sprint(i, rapid.OneOf(rapid.String(), rapid.Just("\"\\\n{}'"), rapid.Just("\xff")).Draw(rt, "device"))
		}
		text, samples := written(rt, l)
		require.True(rt, utf8.ValidString(text))
		read := map[string]bool{}
		for _, s := range samples {
			require.Equal(rt, name(l.Fabric.Name), s.Label(LabelFabric))
			read[s.Label(LabelDevice)] = true
		}
		for _, d := range l.Fabric.Devices {
			require.True(rt, read[name(d.Name)], "%q", d.Name)
		}
		again, _ := written(rt, l)
		require.Equal(rt, text, again)
	})
}

// Files have no time of a look, and a failed writer is an error.
func TestEdges(t *testing.T) {
	l := look(t)
	l.When = time.Time{}
	text, _ := written(t, l)
	assert.NotContains(t, text, LastLook)
	assert.Error(t, l.Write(full{}))
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, os.ErrClosed }
