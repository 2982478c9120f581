package compiler

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
)

// TestSizingDocument recomputes every example of docs/sizing.md.
func TestSizingDocument(t *testing.T) {
	data, err := os.ReadFile("../docs/sizing.md")
	require.NoError(t, err)
	doc := string(data)
	says := func(format string, args ...any) {
		t.Helper()
		assert.Contains(t, doc, fmt.Sprintf(format, args...))
	}
	n := diag.Number[int]

	// The summands of headroom.
	need, floor, terms := chipHeadroom(chip(t, "spectrum"), wire{100_000, 30, 9216, allSmall, 4096})
	for _, x := range terms {
		says("| %s | %s |", x.Name, n(x.Bytes))
	}
	says("| **Need** | **%s** |", n(need))
	says("18,048 + %s = %s", n(need), n(need+18_048))
	says("Floor is %s.", n(floor))
	half, _, _ := chipHeadroom(chip(t, "spectrum"), wire{100_000, 30, 9216, 50, 4096})
	says("`small_packets = 50` Need is %s.", n(half))
	far, _, _ := chipHeadroom(chip(t, "spectrum"), wire{100_000, 300, 9216, allSmall, 4096})
	says("Need is %s; at 25G", n(far))
	near, _, _ := chipHeadroom(chip(t, "spectrum"), wire{25_000, 3, 9216, allSmall, 4096})
	says("at 25G and 3 m it is %s.", n(near))

	// A published figure is larger than the sum.
	for _, c := range []struct {
		asic   string
		speed  int
		metres float64
	}{
		{"tomahawk", 100_000, 5},
		{"tomahawk", 100_000, 300},
		{"tomahawk2", 100_000, 40},
		{"trident3", 100_000, 5},
		{"trident2", 10_000, 5},
		{"spectrum4", 100_000, 5},
	} {
		a := chip(t, c.asic)
		need, _, terms := chipHeadroom(a, wire{c.speed, c.metres, 9216, allSmall, 4096})
		last := terms[len(terms)-1]
		require.Equal(t, "published for the chip", last.Name)
		says("| %s, %s, %g m | %s | %s |", a.Title, platform.SpeedText(c.speed), c.metres, n(need-last.Bytes), n(need))
	}

	// Waste in cells.
	for _, a := range platform.ASICs {
		exact, full := a.Swell()
		script, likely := a.CellWaste()
		row := fmt.Sprintf(" %d B | %s | %s | %s | %s |", a.Cell, exact, script, likely, full)
		if a.Vendor == platform.Broadcom {
			row = fmt.Sprintf(" %d B | %s | | %s | %s |", a.Cell, exact, likely, full)
		}
		says("|%s", row)
	}

	// Long cables.
	m, ok := platform.FindSwitch("sn5600")
	require.True(t, ok)
	k := bufferKey{
		group: &ir.CosGroup{}, asic: m.ASIC, tables: (&sizing{models: map[*platform.Switch]*tables{}}).published(m), metres: 10_000,
		mbps: 100_000, mtu: 9216, rdma: ir.LargestRDMA,
	}
	b := switchBuffer(k)
	says("xon %s and xoff %s, beside a Need of %s.", n(b.Xoff.N-b.XonDelta.N), n(b.Xoff.N), n(b.Need))

	// The memory of a switch, and the marking on it.
	for _, c := range []struct {
		model         string
		ports, groups int
		speed         int
		metres        float64
	}{
		{"sn2700", 32, 1, 100_000, 5},
		{"sn2700", 32, 2, 100_000, 5},
		{"sn2700", 32, 1, 100_000, 300},
		{"sn4700", 32, 2, 400_000, 300},
		{"sn5600", 64, 1, 800_000, 5},
		{"sn5600", 64, 2, 800_000, 40},
		{"z9100", 32, 1, 100_000, 5},
	} {
		d := full(t, c.model, c.ports, c.groups, c.speed, c.metres)
		m, asic := d.Memory(), d.Switch.Model.ASIC
		name := fmt.Sprintf("%s, %d x %s, %g m, %s", strings.ToUpper(c.model), c.ports, platform.SpeedText(c.speed), c.metres,
			diag.Count(c.groups, "group"))
		verdict := "fine"
		switch {
		case !m.Fits():
			verdict = "error"
		case m.Shared()*100 < m.Chip*30:
			verdict = "warning"
		}
		says("| %s | %s | %s | %s | %d %% | %s |", name, n(m.Chip), n(m.Lossless), n(m.Rest), m.Shared()*100/m.Chip, verdict)
		if m.Fits() {
			k := markKey{asic: asic, mbps: c.speed, mtu: 9216, bound: m.MarkBound()}
			says("| %s | %d, %d | %s | %s |", name, m.Ports, m.Groups, n(m.MarkBound()), n(deriveMin(k, ir.Origin{}).N))
		}
	}

	for title, name := range map[string]string{
		"Spectrum": "spectrum", "Spectrum-2, -3": "spectrum2", "Spectrum-4, -5": "spectrum4", "Spectrum-6": "spectrum6",
	} {
		asic, ok := platform.FindASIC(name)
		require.True(t, ok, name)
		says("| %s | %s B | %s | %s |", title, n(asic.MarkStep), n(unbound(asic, 100_000)), n(unbound(asic, 25_000)))
	}

	// Bounds if a port pauses at xoff bytes regardless of free memory.
	few := full(t, "z9100", 6, 1, 100_000, 5)
	asic, xoff := few.Switch.Model.ASIC, few.Ports[0].Buffers()[0].Xoff.N
	bound := few.Memory().IncastBound(5, xoff)
	says("5 x %s = %s", n(xoff), n(bound))
	says("min is %s.", n(deriveMin(markKey{asic: asic, mbps: 100_000, mtu: 9216, bound: bound, senders: 5}, ir.Origin{}).N))
	all := full(t, "z9100", 32, 1, 100_000, 5).Memory()
	says("18,096 / 18 = %s B", n(full(t, "z9100", 18, 1, 100_000, 5).Memory().FanOutBound(xoff)))
	says("from %d ports on", ir.MarksFrom(deriveMin(markKey{asic: asic, mbps: 100_000, mtu: 9216, bound: all.MarkBound()}, ir.Origin{}).N,
		xoff))

	// The NIC.
	need, terms = targets.Known.FindDriver("mlx5").Buffer(100_000, 20, 9000)
	for _, x := range terms {
		says("| %s | %s |", x.Name, n(x.Bytes))
	}
	says("| **least lossless buffer** | **%s** |", n(need))
}

// full returns a switch whose ports are all equal and lossless.
func full(t *testing.T, model string, ports, groups, speed int, metres float64) *ir.Device {
	m, ok := platform.FindSwitch(model)
	require.True(t, ok)
	need, _, _ := chipHeadroom(m.ASIC, wire{speed, metres, 9216, allSmall, 4096})
	xoff := cells(m.ASIC, presetXoff)
	b := &ir.Buffer{Group: &ir.CosGroup{}, Size: ir.Derived{N: need + xoff}, Xoff: ir.Derived{N: xoff}, Need: need}
	os := targets.Known.DefaultOS()
	d := &ir.Device{Switch: &ir.Switch{Model: m, Can: os.Can(m.ASIC, "")}}
	d.Switch.Can.Memory = os.Memory(m.ASIC, "", false)
	for range ports {
		p := ir.NewPort(d, ir.PortSpec{MTU: 9216})
		ir.NewLink(p, nil, ir.Link{})
		for range groups {
			p.SetBuffers(append(p.Buffers(), b))
		}
		d.Ports = append(d.Ports, p)
	}
	return d
}
