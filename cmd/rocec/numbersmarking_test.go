package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	nvue "github.com/rocec/rocec/targets/nvue/grammar"
	sonicsim "github.com/rocec/rocec/targets/sonic/sim"
)

// markingRows are the columns of the ECN table: a switch model and the speed of its cabled ports, the fastest last.
var markingRows = []struct {
	model string
	mbps  int
}{
	{"z9100", 100_000}, {"sn3420", 25_000}, {"sn3700c", 100_000}, {"sn3700", 200_000}, {"sn4700", 400_000}, {"sn5600", 800_000},
}

// markOf returns the ECN thresholds of a switch with r.hosts hosts, each at a port of speed r.mbps. If r.hosts is 0, every such port has a
// host.
func markOf(t *testing.T, r rack) (*ir.Mark, *ir.Device) {
	m, _ := platform.FindSwitch(r.model)
	if r.hosts == 0 {
		r.hosts = len(portsAt(m, r.mbps))
	}
	r.metres = 5
	_, d := r.compile(t)
	require.NotEmpty(t, d.Ports[0].Marks(), r.model)
	return d.Ports[0].Marks()[0], d
}

// numbersMarking writes ECN thresholds by speed.
func numbersMarking(t *testing.T, b *strings.Builder) {
	n := diag.Number[int]
	b.WriteString("\n## ECN: min, max and probability\n\nBytes of the queue, and percent at max. Cables are 5 m. A column is a switch whose " +
		"ports of that speed are cabled.\n\n| who |")
	for _, x := range markingRows {
		fmt.Fprintf(b, " %s, %s |", platform.SpeedText(x.mbps), strings.ToUpper(x.model))
	}
	b.WriteString(" why |\n| --- |" + strings.Repeat(" ---: |", len(markingRows)) + " --- |\n")
	line := func(who, why string, cell func(model string, mbps int) string) {
		fmt.Fprintf(b, "| %s |", who)
		for _, x := range markingRows {
			fmt.Fprintf(b, " %s |", cell(x.model, x.mbps))
		}
		fmt.Fprintf(b, " %s |\n", why)
	}
	marked := func(least, most, percent int) string { return fmt.Sprintf("%s / %s / %d", n(least), n(most), percent) }
	for _, x := range []struct {
		who, why string
		of       rack
	}{
		{
			"rocec, two ports",
			"150 KiB at 100G, scaled with the speed: marks begin at the same delay. At least three frames, in whole steps of the chip.",
			rack{hosts: 2},
		},
		{
			"rocec by NVUE (5.18), all ports", "Marks come before pauses, so min is below the bound of the switch.",
			rack{system: "cumulus-linux", release: "5.18.0"},
		},
		{
			"rocec by files (5.9; Z9100: 3.7), all ports", "The same, by the memory model of the files.",
			rack{system: "cumulus-linux", release: "5.9.1", config: "files"},
		},
		{
			"rocec on SONiC (202605), all ports",
			"The same, by SONiC's memory model. The switch drops what it cannot mark, so marks rise slowly to what one port can fill.",
			rack{system: "sonic", release: "202605"},
		},
	} {
		line(x.who, x.why, func(model string, mbps int) string {
			r := x.of
			if r.model, r.mbps = model, mbps; model == "z9100" && r.system == "cumulus-linux" {
				if r.config == "" {
					return "no NVUE"
				}
				r.release, r.config = "3.7.16", ""
			}
			m, _ := markOf(t, r)
			return marked(m.Min.N, m.Max.N, m.Probability.N)
		})
	}
	delay := func(mbps, bytes int) string { return fmt.Sprintf("%.1f us", float64(bytes)*8/float64(mbps)) }
	line("NVIDIA's preset, NVUE", fmt.Sprintf("One pair for every speed: marks begin after %s of queue at 25G, and after %s at 800G.",
		delay(25_000, nvue.PresetMin), delay(800_000, nvue.PresetMin)), func(string, int) string {
		return marked(nvue.PresetMin, nvue.PresetMax, nvue.PresetProbability)
	})
	line("preset of Cumulus Linux 3.7", "The same in KiB. rocec takes these numbers for 100G.", func(string, int) string {
		return marked(preset37Min, preset37Max, preset37Percent)
	})
	wred := templateMarks(t)
	_, full := markOf(t, rack{model: "sn3700", mbps: 200_000, system: "sonic", release: "202605"})
	require.Greater(t, wred[0], full.Memory().MarkBound())
	line("SONiC's template", fmt.Sprintf("One pair for every speed. On a full SN3700 a pause can come from %s B on, before the first mark.",
		n(full.Memory().MarkBound())), func(string, int) string { return marked(wred[0], wred[1], wred[2]) })
	line("HPCC, ns-3", fmt.Sprintf("Scaled with the speed, as rocec's. Min is %.1f times as large. The files state no reason. rocec starts "+
		"from NVIDIA's numbers, and keeps the bound of the switch.", float64(hpccMin*100)/preset37Min), func(_ string, mbps int) string {
		return marked(hpccMin*mbps/1000, hpccMax*mbps/1000, hpccPercent)
	})
	b.WriteString("\nSources: Cumulus Linux 5.9 and 5.14, RDMA over Converged Ethernet; the same of 3.7; sonic-buildimage, `qos_config.j2`; " +
		"alibaba-edu/High-Precision-Congestion-Control\n@08d4ba0b, `simulation/run.py`. The bound is explained in " +
		"[sizing.md](sizing.md#ecn-when-to-mark).\n")
}

// template is the CONFIG_DB that SONiC's template writes.
func template(t *testing.T) map[string]map[string]map[string]any {
	t.Helper()
	s := sonicsim.New(sonicsim.Box{
		Release: "202605", HwSKU: "ACS-MSN3700", Platform: "x86_64-mlnx_msn3700-r0", ASIC: "mellanox", QoS: sonicsim.Template,
		Ports: []sonicsim.Port{{Name: "Ethernet0", Lanes: "0,1,2,3", Index: 1, SpeedMbps: 200_000}},
	})
	var out map[string]map[string]map[string]any
	require.NoError(t, json.Unmarshal([]byte(s.Files()[sonicsim.SavedPath]), &out))
	return out
}

// templateMarks is min, max and percent of the template.
func templateMarks(t *testing.T) (out [3]int) {
	row := template(t)["WRED_PROFILE"]["AZURE_LOSSLESS"]
	for i, key := range []string{"green_min_threshold", "green_max_threshold", "green_drop_probability"} {
		out[i] = number(t, row[key])
	}
	return out
}

func number(t *testing.T, x any) int {
	t.Helper()
	n, err := strconv.Atoi(fmt.Sprint(x))
	require.NoError(t, err)
	return n
}

// numbersShares writes the shares of a link, the CNPs and the lossless groups.
func numbersShares(t *testing.T, b *strings.Builder) {
	f, _ := rack{model: "sn3700", mbps: 200_000, metres: 5, hosts: 2}.compile(t)
	shares, cnp := ir.Schedule(f, 0), f.Intents[0].CNP
	require.True(t, shares[cnp.Cos].Strict)
	percent := func(cos int) string { return fmt.Sprintf("%d %%", shares[cos].Percent) }
	rest := 0
	for cos, x := range shares {
		if cos != nvue.PresetCos && !x.Strict {
			require.Equal(t, shares[0].Percent, x.Percent)
			rest++
		}
	}
	db := template(t)
	weight := func(queue int) (n int, kind string) {
		row := db["SCHEDULER"][fmt.Sprint(db["QUEUE"][fmt.Sprintf("Ethernet0|%d", queue)]["scheduler"])]
		return number(t, row["weight"]), fmt.Sprint(row["type"])
	}
	class := func(dscp int) int { return number(t, db["DSCP_TO_TC_MAP"]["AZURE"][strconv.Itoa(dscp)]) }
	pauses := fmt.Sprint(db["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"])
	lossless, _ := weight(nvue.PresetCos)
	lossy, _ := weight(0)
	total := 0
	for queue := range len(db["QUEUE"]) {
		n, _ := weight(queue)
		total += n
	}
	var claimed []string
	for dscp := range 64 {
		if strings.Contains(pauses, strconv.Itoa(class(dscp))) {
			claimed = append(claimed, strconv.Itoa(dscp))
		}
	}
	ofCNP, kind := weight(class(ir.DefaultCNP))
	const dscp = 26
	require.NotContains(t, pauses, strconv.Itoa(class(dscp)))

	b.WriteString("\n## Shares, classes and CNPs\n\nThe fabric has a lossless group (cos 3, DSCP 26) and a group of CNPs, and states no " +
		"weight.\n\n" +
		"| what | rocec | NVIDIA's preset | SONiC's template | why |\n| --- | --- | --- | --- | --- |\n")
	row := func(cells ...string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	row("lossless", "the groups of the fabric: cos 3", fmt.Sprintf("cos %d", nvue.PresetCos), "cos "+strings.ReplaceAll(pauses, ",", " and "),
		"Each lossless group takes headroom at every port, so rocec makes no more than the fabric states.")
	row("DSCP 26", "cos 3", fmt.Sprintf("cos %d", dscp>>3), fmt.Sprintf("cos %d, lossy", class(dscp)),
		"rocec maps the values that the groups claim. The template has DSCP "+strings.Join(claimed, " and ")+" in lossless classes.")
	preset := fmt.Sprintf("%d %%", nvue.PresetPercent)
	row("share of RoCE", percent(nvue.PresetCos), preset,
		fmt.Sprintf("weight %d of %d for each lossless queue", lossless, total),
		"RoCE and the rest share equally where the fabric states no `weight`, as in the preset.")
	row("share of the rest", fmt.Sprintf("%s for each of %d queues", percent(0), rest), preset,
		fmt.Sprintf("weight %d of %d for each lossy queue", lossy, total),
		"rocec has a queue for each cos, so that no cos changes its queue later. The preset has one for all.")
	row("CNP", fmt.Sprintf("DSCP %d, cos %d, strict", ir.DefaultCNP, cnp.Cos),
		fmt.Sprintf("DSCP %d, cos %d, strict", ir.DefaultCNP, nvue.PresetCNP),
		fmt.Sprintf("DSCP %d, cos %d, %s with weight %d", ir.DefaultCNP, class(ir.DefaultCNP), kind, ofCNP),
		"A CNP that waits behind data comes late. The fabric says `strict`, and `cnp-not-strict` reports where it does not.")
	b.WriteString("\nSources: Cumulus Linux 5.9 and 5.14, RDMA over Converged Ethernet; sonic-buildimage, `qos_config.j2`.\n")
}

// numbersWatchdog writes the times of the PFC watchdog.
func numbersWatchdog(t *testing.T, b *strings.Builder) {
	b.WriteString("\n## PFC watchdog\n\n| system | model | ports | rocec turns it on | poll | detection | restoration | why |\n" +
		"| --- | --- | ---: | --- | ---: | ---: | ---: | --- |\n")
	row := func(cells ...string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	for _, x := range []struct {
		model string
		mbps  int
	}{{"sn2700", 100_000}, {"sn3420", 25_000}, {"sn4600c", 100_000}, {"sn5600", 800_000}} {
		_, d := rack{model: x.model, mbps: x.mbps, metres: 5, hosts: 2, system: "sonic", release: "202605"}.compile(t)
		ports := 0
		for _, r := range d.Switch.Model.Ports {
			ports += r.Last - r.First + 1
		}
		w := d.Switch.Added.Watchdog
		for _, s := range []ir.Setting[time.Duration]{w.Poll, w.Detect, w.Restore} { // pfcwd/main.py, DEFAULT_PORT_NUM
			require.Equal(t, time.Duration(max(1, (ports-1)/32+1))*200*time.Millisecond, s.Value, x.model)
		}
		ms := func(s ir.Setting[time.Duration]) string { return fmt.Sprintf("%d ms", s.Value.Milliseconds()) }
		row("SONiC", strings.ToUpper(x.model), strconv.Itoa(ports), "yes", ms(w.Poll), ms(w.Detect), ms(w.Restore),
			"The defaults of `pfcwd start_default`: 200 ms for each 32 ports begun.")
	}
	g := nvue.Any()
	state, poll, count := g.Row(nvue.PortWatchdog), g.Row(nvue.WatchdogInterval).Default, g.Row(nvue.WatchdogCount).Default
	on := func(release, config string) bool {
		_, d := rack{model: "sn3700", mbps: 200_000, metres: 5, hosts: 2, system: "cumulus-linux", release: release, config: config}.compile(t)
		return d.Switch.Added.Watchdog.Action.Known()
	}
	first := fmt.Sprintf("%d.%d", state.Since[0], state.Since[1])
	require.True(t, on(first+".0", ""))
	require.False(t, on(fmt.Sprintf("%d.%d.0", state.Since[0], state.Since[1]-1), ""))
	require.False(t, on("5.9.1", "files"))
	row("NVUE from "+first, "each", "each", "yes", poll+" ms", poll+" ms x "+count, "no setting",
		"rocec leaves the times as they are: these are the defaults of the manual. The preset turns no watchdog on.")
	row("NVUE before "+first, "each", "each", "no", "", "", "", "The releases have no watchdog.")
	row("Cumulus Linux by files", "each", "each", "no", "", "", "", "rocec leaves the keys of a watchdog as they are.")
	b.WriteString("\nTimes that a person has set stay. Sources: sonic-utilities, `pfcwd/main.py`; Cumulus Linux 5.x, Quality of Service, " +
		"PFC Watchdog, whose\nbounds of times are not printed.\n")
}
