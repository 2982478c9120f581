package bnxt

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/hosttest"
)

// state sets a parameter of the NIC of a fixture.
func state(t testing.TB, d *ir.Device, name string, value int) {
	for i, p := range parameters().DCQCN {
		if p.Name == name {
			d.Host.NICs[0].Parameters = &ir.NICParameters{DCQCN: []ir.SetParameter{{NICParameter: p, Value: value, At: place(70 + i)}}}
			return
		}
	}
	t.Fatal(name)
}

// TestParameterPage compares the table of docs/hosts.md with that of the driver, line by line and in order.
func TestParameterPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/hosts.md")
	require.NoError(t, err)
	var want strings.Builder
	for _, p := range parameters().DCQCN {
		if p.By != "" {
			fmt.Fprintf(&want, "| `%s` | | set by %s |\n", p.Name, p.By)
			continue
		}
		fmt.Fprintf(&want, "| `%s` | %s | %s |\n", p.Name, p.Range(), p.Does)
		assert.NotEmpty(t, p.Source, p.Name)
		assert.Equal(t, notKnown, p.Factory, "no document states it")
	}
	assert.Contains(t, string(page), want.String(), "docs/hosts.md needs the table:\n%s", &want)
}

// TestParameters: a value file has the parameters that the fabric states, and every shell brings them about in the spelling of the driver,
// which prints some of them in hexadecimal. A NIC that leaves gets back what it held before.
func TestParameters(t *testing.T) {
	d := fixture()
	state(t, d, "init_tr", 4096)
	text, ds := files(t, d)["/etc/rocec/host/"+nicName+".conf"].Edit(nil)
	require.Empty(t, ds)
	assert.Contains(t, string(text), "\ndcqcn_init_tr=4096\n")
	assert.NotContains(t, string(text), "dcqcn_g=")
	for shell := range hosttest.Rotate(0, true, "interp") {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			h := newHost(t).vendor()
			h.values(wanted + stated)
			out, code := h.run(shell, "apply", nicName)
			require.Zero(t, code, out)
			for _, line := range []string{"g=9", "inact_th=65535", "init_cr=0", "init_tr=4096"} {
				assert.Contains(t, h.Read("fake/cc")+"\n", "\n"+line+"\n")
			}
			out, code = h.run(shell, "check", nicName)
			require.Zero(t, code, out)
			out, code = h.run(shell, "show", nicName, "dcqcn_init_tr=1", "dcqcn_init_cr=1")
			require.Zero(t, code, out)
			assert.Contains(t, out, "\ndcqcn_init_cr=0\ndcqcn_init_tr=4096\n")
			assert.NotContains(t, out, "dcqcn_g")
			h.Remove("etc/rocec/host/" + nicName + ".conf")
			out, code = h.run(shell, "leave", nicName)
			require.Zero(t, code, out)
			out, _ = h.run(shell, "show", nicName, "dcqcn_g=1", "dcqcn_inact_th=1", "dcqcn_init_cr=1", "dcqcn_init_tr=1")
			assert.Contains(t, out, "\ndcqcn_g=8\ndcqcn_inact_th=10000\ndcqcn_init_cr=200\ndcqcn_init_tr=1000\n")
		})
	}
}

// TestParametersOfKernelDriver: the kernel's own driver shows the parameters and has no documented way to set them. An equal value is
// accepted, and a different one refuses the host, because the fabric asks for it.
func TestParametersOfKernelDriver(t *testing.T) {
	h := newHost(t).inbox("1", "1", "48", "6")
	h.values(wanted + "dcqcn_g=8\ndcqcn_init_tr=4096\n")
	check, code := h.run("dash", "check", nicName)
	assert.Equal(t, 1, code)
	assert.NotContains(t, check, "dcqcn_g")
	assert.Contains(t, check, "dcqcn_init_tr is unsupported: it is 1000, and only Broadcom's driver has a documented switch for it")
	apply, code := h.run("dash", "apply", nicName)
	assert.Equal(t, 1, code)
	assert.Contains(t, apply, "dcqcn_init_tr cannot be set here: unsupported: it is 1000")
	d := fixture()
	state(t, d, "init_tr", 4096)
	show := h.good("show", nicName, "dcqcn_init_tr=4096")
	_, ds := files(t, d)["nic/"+nicName].Edit([]byte(show))
	assert.True(t, refused(ds, "dcqcn_init_tr"))
}

// TestParametersOutOfRange: the script refuses numbers that the driver would cut off without a message.
func TestParametersOutOfRange(t *testing.T) {
	for _, line := range []string{
		"dcqcn_g=256", "dcqcn_g=-1", "dcqcn_g=0x10", "dcqcn_init_cr=65536", "dcqcn_init_tr=99999", "dcqcn_inact_th=", "dcqcn_rtt=1",
		"dcqcn_../g=1", "dcqcn_g=" + hosttest.Evil,
	} {
		h := newHost(t).vendor()
		h.values(wanted + line + "\n")
		out, code := h.run("dash", "apply", nicName)
		assert.Equal(t, 1, code, line)
		assert.Contains(t, out, "not a setting of this script: "+line)
		assert.Empty(t, h.Log())
	}
}

// TestParametersWithoutECN: parameters of congestion control have no effect if no cos group of the intents has ECN.
func TestParametersWithoutECN(t *testing.T) {
	d := fixture()
	state(t, d, "g", 9)
	require.Empty(t, Target.Check(d))
	d.Host.NICs[0].Intents[0].Group.ECN = nil
	ds := Target.Check(d)
	require.Len(t, ds, 1)
	assert.Equal(t, "host-parameter", ds[0].Code)
	assert.Equal(t, diag.Warning, ds[0].Severity)
	assert.Equal(t, 75, ds[0].At.Start.Line)
}

// TestCongestionProbe: a switch that is off contradicts ECN of the fabric, and one that is on has a hint without ECN. Without an answer
// nothing is known.
func TestCongestionProbe(t *testing.T) {
	for _, c := range []struct {
		answer      string
		ecn         bool
		wrong, hint string
	}{
		{"enable_cc 1\nrun_avg_weight_g 8\n", true, "", ""},
		{"enable_cc 0\nrun_avg_weight_g 8\n", true, "Congestion control of ens4f0 on gpu1 is off (enable_cc), and the fabric marks", ""},
		{"enable_cc 0\n", false, "", ""},
		{"enable_cc 1\n", false, "", "Congestion control of ens4f0 on gpu1 is on, and no cos group"},
		{"", true, "", ""},
		{"enable_cc \x1b[31m\nenable_cc 0\n", true, "", ""}, // the first line of a key counts
	} {
		d := fixture()
		if !c.ecn {
			d.Host.NICs[0].Intents[0].Group.ECN = nil
		}
		for _, p := range Target.Probes(d) {
			if p.Name != "congestion control of "+nicName {
				continue
			}
			wrong := strings.Join(p.Judge([]byte(c.answer)), "")
			var hint strings.Builder
			for _, s := range p.Samples([]byte(c.answer)) {
				hint.WriteString(s.Hint)
			}
			assert.True(t, strings.HasPrefix(wrong, c.wrong) && (c.wrong == "") == (wrong == ""), "%q: %s", c.answer, wrong)
			assert.True(t, strings.HasPrefix(hint.String(), c.hint) && (c.hint == "") == (hint.String() == ""), "%q: %s", c.answer, hint.String())
			h := newHost(t).inbox("1", "1", "48", "6")
			out := h.Sh(strings.ReplaceAll(p.Query.Cmd, "/sys/", h.Root+"/sys/"))
			assert.Equal(t, "enable_cc 1\nrun_avg_weight_g 8\ninactivity_cp 10000\ninit_cr 200\ninit_tr 1000\n", out)
			c.answer = ""
		}
		assert.Empty(t, c.answer, "there is such a probe")
	}
}
