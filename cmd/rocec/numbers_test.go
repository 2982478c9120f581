package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	nvue "github.com/rocec/rocec/targets/nvue/grammar"
)

// Published numbers that no table of rocec has. The packages that read and simulate NVIDIA's preset and SONiC's template have the numbers
// of these.
const (
	// Cumulus Linux 3.7, RDMA over Converged Ethernet: the numbers of storage-optimized.
	preset37Min, preset37Max, preset37Percent = 150 << 10, 1_500 << 10, 100

	// alibaba-edu/High-Precision-Congestion-Control @08d4ba0b, simulation/run.py: kmin_map and kmax_map in units of 1,000 B.
	hpccMin, hpccMax, hpccPercent = 100_000 / 25, 400_000 / 25, 20 // bytes per Gb/s

	// Cumulus Linux 3.7, the same chapter: port_buffer_bytes, xoff_size and xon_delta.
	preset37Size, preset37Xoff, preset37Xon = 70_000, 18_000, 0
	// The same three keys in the traffic.conf that the manual prints.
	manualSize, manualXoff, manualXon = 25_000, 10_000, 2_000
)

// rack is a fabric of hosts on one switch, with a lossless group that marks.
type rack struct {
	model, system, release, config string // empty: a system that rocec does not know
	mbps                           int
	metres                         float64
	hosts                          int
	pfc                            string // lines of the pfc block
}

// compile compiles the rack, and returns the fabric and its switch.
func (r rack) compile(t *testing.T) (*ir.Fabric, *ir.Device) {
	t.Helper()
	m, ok := platform.FindSwitch(r.model)
	require.True(t, ok, r.model)
	ports := portsAt(m, r.mbps)
	require.LessOrEqual(t, r.hosts, len(ports), r.model)
	system := "os = \"other\"\n"
	if r.system != "" {
		system = fmt.Sprintf("os = %q\nversion = %q\n", r.system, r.release)
	}
	if r.config != "" {
		system += fmt.Sprintf("config = %q\n", r.config)
	}
	var links strings.Builder
	for i, n := range ports[:r.hosts] {
		port := "p" + strconv.Itoa(n)
		if r.system != "" {
			port = targets.Known.FindOS(r.system).Spell(m, ir.Front{Number: int16(n), Sub: -1})
		}
		fmt.Fprintf(&links, "link \"l%d\" {\na = \"h%d:e\"\nb = \"s1:%s\"\nspeed = %q\nlength = \"%gm\"\n}\n", i, i+1, port,
			platform.SpeedText(r.mbps), r.metres)
	}
	f := compilertest.Compile(t, fmt.Sprintf(`fabric "f" {
  mtu = %d
}
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  ecn {}
  %s
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
roce "r" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.h]
}
switch "s" {
  names = "s1"
  model = %q
  %s
}
host "h" {
  names = "h[1-%d]"
  nic "e" {
    model = "connectx-8"
  }
}
%s`, platform.PublishedMTU, r.pfc, r.model, system, r.hosts, links.String()))
	i := slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Switch != nil })
	return f, f.Devices[i]
}

// portsAt returns the numbers of the ports with this native speed. If there are fewer than two, it adds the faster ports.
func portsAt(m *platform.Switch, mbps int) (out []int) {
	for _, native := range []bool{true, false} {
		for _, r := range m.Ports {
			speed := cmp.Or(max(r.Speed, 0), math.MaxInt)
			for n := r.First; n <= r.Last && (speed == mbps || !native && speed > mbps); n++ {
				out = append(out, n)
			}
		}
		if len(out) > 1 {
			break
		}
	}
	return out
}

func (r rack) buffer(t *testing.T) *ir.Buffer {
	t.Helper()
	r.hosts = 2
	_, d := r.compile(t)
	return d.Ports[0].Buffers()[0]
}

// published is the published figure for a port.
type published struct {
	least, most int
	of          string // the hwsku or profile with the smallest figure
}

// publishedFor returns the row of the model, or otherwise of its chip's table, for exactly this length.
func publishedFor(t *testing.T, model string, mbps int, metres float64) published {
	t.Helper()
	m, ok := platform.FindSwitch(model)
	require.True(t, ok)
	if r := m.ModelRows().Row(mbps, metres); r != nil {
		return published{int(r.Least), int(r.Most), strings.Split(r.Source(), "/")[3]}
	}
	tables, _ := m.Published()
	require.NotEmpty(t, tables, model)
	for _, row := range tables[0].Rows {
		for _, at := range row.At {
			if row.Speed == mbps && float64(at.Metres) == metres {
				return published{at.Bytes, at.Bytes, tables[0].Of}
			}
		}
	}
	t.Fatalf("%s has no figure of %d at %g m", model, mbps, metres)
	return published{}
}

func (p published) text() string {
	if p.most > p.least {
		return diag.Number(p.least) + " to " + diag.Number(p.most)
	}
	return diag.Number(p.least)
}

// whyHeadroom returns the key of [headroomReasons] for the difference between rocec's headroom and a published figure.
func whyHeadroom(t *testing.T, r rack, b *ir.Buffer, figure int) string {
	t.Helper()
	m, _ := platform.FindSwitch(r.model)
	cell, last := m.ASIC.Cell, b.Terms[len(b.Terms)-1]
	sum := func(small int) int {
		few := r
		few.pfc = fmt.Sprintf("pfc {\nsmall_packets = %d\n}", small)
		return few.buffer(t).Sum()
	}
	switch share := sort.Search(100, func(i int) bool { return sum(i+1) > figure }); {
	case figure > b.Need:
		return "more"
	case b.Need < figure+cell && last.Name == ir.ByRow:
		return "row"
	case b.Need < figure+cell && last.Name == ir.ByTables:
		return "table"
	case b.Need < figure+cell:
		return "equal"
	case b.Sum() <= figure:
		return "other table"
	case m.ASIC.Response > 0 && figure >= b.Floor-cell && figure < b.Floor+1024+cell:
		return "response"
	case share > 0:
		return fmt.Sprintf("small %d %%", share)
	case figure >= b.RoundTrip:
		return "cells"
	}
	return "below"
}

// headroomReasons explains the words of [whyHeadroom].
func headroomReasons() [][2]string {
	old, _ := platform.FindASIC("spectrum")
	return [][2]string{
		{"row", "The same in whole cells: the row of the model is above rocec's sum."},
		{"table", "The same in whole cells: the table of the chip has this figure, too, and it is above the sum."},
		{"other table", "Another table of the chip has a larger figure than this row. rocec keeps that."},
		{"response", fmt.Sprintf("The figure counts %s B for the peer's response to a pause, and less waste. rocec counts what 802.3 allows.",
			diag.Number(old.Response))},
		{"small", "The figure is the sum with that share of small packets. rocec counts all, unless a `pfc` block states `small_packets`."},
		{"cells", "The figure holds what arrives until the peer has stopped. It has little room for what packets waste in cells."},
		{"below", "The figure is less than what arrives until the peer has stopped. Some of these hwskus share headroom among ports. rocec " +
			"counts on none."},
	}
}

// headroomRows lists the ports that the headroom tables show, by the vendor of the chip. They belong to models with their own rows, and
// to the first model of each chip that has only a table.
var headroomRows = [][]struct {
	model string
	mbps  int
}{
	{
		{"sn2700", 25_000},
		{"sn2700", 100_000},
		{"sn3700", 100_000},
		{"sn3700", 200_000},
		{"sn3800", 100_000},
		{"sn4600c", 100_000},
		{"sn4700", 100_000},
		{"sn4700", 200_000},
		{"sn4700", 400_000},
		{"sn5600", 100_000},
		{"sn5600", 400_000},
		{"sn5600", 800_000},
		{"sn5640", 100_000},
		{"sn5640", 400_000},
		{"sn6600", 800_000},
	},
	{
		{"z9100", 25_000},
		{"z9100", 100_000},
		{"7260cx3-64", 100_000},
		{"7050cx3-32s", 100_000},
		{"z9332f", 100_000},
		{"z9332f", 400_000},
		{"z9664f", 400_000},
		{"z9864f", 100_000},
		{"z9864f", 400_000},
		{"z9864f", 800_000},
		{"7060x6-64pe", 100_000},
		{"7060x6-64pe", 400_000},
		{"7060x6-64pe", 800_000},
	},
}

// numbersHeadroom writes the headroom of a port for the bytes after a pause.
func numbersHeadroom(t *testing.T, b *strings.Builder) {
	all, words := everyRow(t)
	fmt.Fprintf(b, "\n## Headroom\n\nHeadroom is the room for the bytes that arrive after a pause. rocec derives it as a sum "+
		"([sizing.md](sizing.md#headroom-need-and-floor)), and keeps\nthe published figure where that is larger. A test compares all "+
		"%d public rows of %s up to %s m. rocec keeps less in\nnone of them. These are the reasons, with the number of rows:\n\n"+
		"| why | rows | reason |\n| --- | ---: | --- |\n", all, diag.Count(countModels(), "model"), diag.Number(platform.LongestRow))
	for _, r := range headroomReasons() {
		fmt.Fprintf(b, "| %s | %d | %s |\n", r[0], words[r[0]], r[1])
		all -= words[r[0]]
	}
	require.Zero(t, all, "a reason has no text")
	for i, title := range []string{"NVIDIA's chips", "Broadcom's chips"} {
		fmt.Fprintf(b, "\n### %s\n\n", title)
		if i == 0 {
			fmt.Fprintf(b, "Bytes, for MTU %s. Two figures are the smallest and the largest of the model's hwskus, with a reason for each. "+
				"The smallest one\nbinds. *More*: the largest is above what rocec keeps. The hwsku is that of the smallest at 5 m.\n\n",
				diag.Number(platform.PublishedMTU))
		}
		b.WriteString("| model | chip | speed | rocec, 5 m | published | rocec, 40 m | published | hwsku or table | why |\n" +
			"| --- | --- | --- | ---: | ---: | ---: | ---: | --- | --- |\n")
		for _, x := range headroomRows[i] {
			headroomRow(t, b, x.model, x.mbps)
		}
	}
	fmt.Fprintf(b, "\nSource: sonic-net/sonic-buildimage @%s, `device/*/*/HWSKU/pg_profile_lookup.ini`.\n\n"+
		"### Headroom that the switch derives\n\n"+
		"- By NVUE the switch derives headroom from speed, MTU and cable length. NVIDIA publishes no formula, so there is no row to compare.\n"+
		"  rocec writes the length, and `verify` compares what the switch keeps with rocec's number. The preset takes %d m for every cable;\n"+
		"  rocec writes the class of each cable, such as 5 or 40 m.\n"+
		"- On SONiC the switch takes the row of its own hwsku, or derives headroom. rocec writes the length, and `verify` compares\n"+
		"  the same way.\n",
		commitOfRows(), nvue.PresetMetres)
}

func commitOfRows() string {
	m, _ := platform.FindSwitch("sn2700")
	_, commit, _ := strings.Cut(m.ModelRows().Row(100_000, 5).Source(), "@")
	return commit
}

func headroomRow(t *testing.T, b *strings.Builder, model string, mbps int) {
	m, ok := platform.FindSwitch(model)
	require.True(t, ok)
	var why []string
	fmt.Fprintf(b, "| %s | %s | %s |", strings.ToUpper(model), m.ASIC.Title, platform.SpeedText(mbps))
	for _, metres := range []float64{5, 40} {
		r := rack{model: model, mbps: mbps, metres: metres}
		have, p := r.buffer(t), publishedFor(t, model, mbps, metres)
		require.GreaterOrEqual(t, have.Need, p.least, "%s %d %g m", model, mbps, metres)
		fmt.Fprintf(b, " %s | %s |", diag.Number(have.Need), p.text())
		one := whyHeadroom(t, r, have, p.least)
		if other := whyHeadroom(t, r, have, p.most); other != one {
			one += ", " + other
		}
		why = append(why, one)
	}
	if why[0] != why[1] {
		why[0] = "5 m: " + why[0] + "; 40 m: " + why[1]
	}
	fmt.Fprintf(b, " %s | %s |\n", publishedFor(t, model, mbps, 5).of, why[0])
}

func countModels() (n int) {
	for _, s := range platform.Switches {
		if s.ModelRows() != nil {
			n++
		}
	}
	return n
}

// everyRow requires that rocec's headroom is at least the figure of each row of all models. It counts the rows by the reason for the
// difference.
func everyRow(t *testing.T) (all int, words map[string]int) {
	words = map[string]int{}
	for _, s := range platform.Switches {
		m := s.ModelRows()
		if m == nil {
			continue
		}
		for _, row := range m.Rows {
			if row.Metres > platform.LongestRow {
				continue
			}
			r := rack{model: s.Name, mbps: int(row.Speed), metres: float64(row.Metres)}
			b := r.buffer(t)
			require.GreaterOrEqual(t, b.Need, int(row.Least), "%s %s", s.Name, row.Text())
			word, _, few := strings.Cut(whyHeadroom(t, r, b, int(row.Least)), " ")
			if word == "other" && few {
				word = "other table"
			}
			all++
			words[word]++
		}
	}
	return all, words
}

// numbersHardware writes the figures that tests on real switches expect.
func numbersHardware(t *testing.T, b *strings.Builder) {
	fmt.Fprintf(b, "\n## Headroom that tests on hardware find\n\nNightly tests of SONiC send frames to real switches until one is lost. "+
		"They find that a switch keeps the bytes it is set to; they do\nnot find that fewer bytes would lose.\n\n"+
		"| model | chip | speed | cable | rocec | tests expect | why |\n| --- | --- | --- | --- | ---: | ---: | --- |\n")
	rows := 0
	for _, model := range []string{"z9100", "7260cx3-64", "7050cx3-32s", "z9332f", "z9864f"} {
		m, ok := platform.FindSwitch(model)
		require.True(t, ok)
		for _, mbps := range platform.Speeds {
			if len(portsAt(m, mbps)) == 0 {
				continue
			}
			for _, metres := range []float64{5, 40, 300} {
				n := m.ASIC.Nightly(mbps, metres)
				if n == nil || float64(n.Metres) != metres {
					continue
				}
				rows++
				have := rack{model: model, mbps: mbps, metres: metres}.buffer(t).Need
				p := published{least: int(n.Least), most: int(n.Most)}
				fmt.Fprintf(b, "| %s | %s | %s | %g m | %s | %s | %s |\n", strings.ToUpper(model), m.ASIC.Title, platform.SpeedText(mbps), metres,
					diag.Number(have), p.text(), whyTested(have, p, m.ASIC.Cell))
			}
		}
	}
	require.Greater(t, rows, 15)
	fmt.Fprintf(b, "\nSource: %s`. *One cell*: the tests count the frame that is lost. *Set to less*: a tested hwsku has a smaller\n"+
		"figure, and rocec keeps its sum or the table of the chip. *Set to more*: a tested hwsku has a larger figure, and tests do not bind.\n",
		strings.Replace(platform.NightlySource, " ", ", `", 1))
}

func whyTested(have int, p published, cell int) string {
	word := func(n int) string {
		switch {
		case n == have:
			return "equal"
		case n == have+cell:
			return "one cell"
		case n > have:
			return "set to more"
		}
		return "set to less"
	}
	if least, most := word(p.least), word(p.most); least != most {
		return least + ", " + most
	}
	return word(p.least)
}

// numbersBuffer writes the three keys of traffic.conf.
func numbersBuffer(t *testing.T, b *strings.Builder) {
	b.WriteString("\n## Buffer of a lossless port in traffic.conf\n\nA buffer is the bytes before the pause and the headroom behind them, " +
		"here at 100G and MTU 9,100.\n\n| who | chip | cable | `port_buffer_bytes` | `xoff_size` | `xon_delta` | headroom | why |\n" +
		"| --- | --- | --- | ---: | ---: | ---: | ---: | --- |\n")
	n := diag.Number[int]
	row := func(who, chip, cable string, size, xoff, xon int, why string) {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", who, chip, cable, n(size), n(xoff), n(xon), n(size-xoff), why)
	}
	for _, model := range []string{"sn2700", "sn3700", "z9100"} {
		for _, metres := range []float64{5, 40} {
			m, _ := platform.FindSwitch(model)
			x := rack{model: model, mbps: 100_000, metres: metres}.buffer(t)
			require.Less(t, preset37Size-preset37Xoff, x.Sum())
			row("rocec", m.ASIC.Title, fmt.Sprintf("%g m", metres), x.Size.N, x.Xoff.N, x.XonDelta.N,
				"The headroom above, and the `xoff_size` of the preset in whole cells.")
		}
	}
	row("preset of 3.7", "each", "each", preset37Size, preset37Xoff, preset37Xon,
		"One size for every speed, cable and chip. Its headroom is below each sum above.")
	row("template of the manual", "each", "each", manualSize, manualXoff, manualXon,
		fmt.Sprintf("Less than two frames of %s B fit behind the pause.", n(platform.PublishedMTU)))
	b.WriteString("\nSource: Cumulus Linux 3.7, RDMA over Converged Ethernet, and the traffic.conf that the manual prints.\n")
}

// docs/numbers.md compares rocec's numbers with those of vendors' presets, templates and published simulations. Each difference has its
// reason.
func TestDocsNumbers(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Numbers beside those of others\n\nGenerated from the tables in the code, and from fabrics that a test compiles " +
		"(`make update`). No number of rocec is typed by hand.\nThe page is for engineers who ask why a number differs from a preset or a " +
		"template. [sizing.md](sizing.md) has the arithmetic.\n")
	numbersHeadroom(t, &b)
	numbersHardware(t, &b)
	numbersBuffer(t, &b)
	numbersMarking(t, &b)
	numbersShares(t, &b)
	numbersWatchdog(t, &b)
	requireGenerated(t, "numbers.md", b.String())
}
