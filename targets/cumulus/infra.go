package cumulus

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/conflint"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/cumulus/steps"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// From 4.4 on two files replace traffic.conf and datapath.conf. qos_features.conf configures classification, pauses, marks and shares.
// qos_infra.conf has the priority groups, the queues of cos and the pools of the chip's memory. Source: the quality-of-service chapters of
// 4.4 and 5.x.
const (
	confName     = "traffic.conf"
	featuresName = "qos_features.conf"
	infraName    = "qos_infra.conf"

	featuresPath = grammar.FeaturesPath
	infraPath    = grammar.InfraPath
)

// confPath returns the path of the classification file in a release.
func confPath(r grammar.Release) string {
	if split(r) {
		return featuresPath
	}
	return Path
}

// isSplit is [split] for the text of a release. It returns false for any other text.
func isSplit(version string) bool {
	r, ok := grammar.ParseRelease(version)
	return ok && split(r)
}

// infraSettings returns the settings of rocec in qos_infra.conf, in the spelling of its release.
//
// All cos are in the factory's one priority group. With PFC, the chip puts lossless cos into a separate group by itself, and the manuals
// do not state the default buffers of other groups. A cos leaves by the queue with its number, whose share is in qos_features.conf. The
// manuals of 4.4 and later require a split of the memory before PFC or link pause. So a switch with lossless traffic gets one pool for it,
// without a limit on egress, and one for other traffic.
func infraSettings(d *ir.Device, spelling grammar.Spelling) []section {
	var sorted, pools section
	sorted.title = "Priority groups and queues: cos n leaves by queue n."
	sorted.names(spelling, grammar.Switch, grammar.PriorityGroups, []string{bulk})
	sorted.add(spelling, grammar.PriorityGroup, grammar.GroupCos, -1, bulk, list([]int{0, 1, 2, 3, 4, 5, 6, 7}), nil)
	sorted.add(spelling, grammar.PriorityGroup, grammar.GroupPool, -1, bulk, strconv.Itoa(lossyPool), nil)
	sorted.add(spelling, grammar.Scheduling, grammar.Algorithm, -1, "", "dwrr", nil)
	for cos := range 8 {
		sorted.add(spelling, grammar.QueueOfCos, grammar.EgressQueue, cos, "", strconv.Itoa(cos), nil)
	}
	if !losslessSwitch(d) {
		return []section{sorted}
	}
	var why []ir.Origin
	for _, g := range d.Fabric.CosGroups {
		if g.Lossless {
			why = append(why, g.IsLossless())
		}
	}
	pools.title = "The memory of the chip: pool 0 for the rest, pool 1 for lossless traffic."
	set := func(f grammar.Feature, m grammar.Meaning, n int, value string) {
		pools.add(spelling, f, m, n, "", value, why)
	}
	one, infinite := grammar.Quota{Num: 1, Den: 1}.Name(), grammar.Infinite.Name()
	half, lossless := strconv.Itoa(poolPercent)+".0", strconv.Itoa(losslessPool)
	for _, f := range []grammar.Feature{grammar.IngressPool, grammar.EgressPool} {
		set(f, grammar.PoolShare, lossyPool, half)
		set(f, grammar.PoolShare, losslessPool, half)
		set(f, grammar.PoolMode, losslessPool, strconv.Itoa(dynamicOn))
	}
	set(grammar.EgressPool, grammar.PoolInfinite, losslessPool, "TRUE")
	set(grammar.FlowControl, grammar.LosslessIngressPool, -1, lossless)
	set(grammar.FlowControl, grammar.LosslessEgressPool, -1, lossless)
	set(grammar.PortPool, grammar.PortIngressOwn, losslessPool, "0")
	set(grammar.PortPool, grammar.PortIngressQuota, losslessPool, one)
	set(grammar.PortPool, grammar.PortEgressOwn, losslessPool, "0")
	set(grammar.PortPool, grammar.PortEgressQuota, losslessPool, infinite)
	set(grammar.FlowControl, grammar.LosslessQuota, -1, one)
	set(grammar.FlowControl, grammar.LosslessEgressOwn, -1, "0")
	set(grammar.FlowControl, grammar.LosslessEgressQuota, -1, infinite)
	return []section{sorted, pools}
}

// editInfra returns the wanted content of a switch's qos_infra.conf. Like datapath.conf, rocec never writes this file from nothing: the
// manuals do not state the defaults of some settings.
func editInfra(old []byte, want []section) (out []byte, why string) {
	if len(old) == 0 {
		return nil, "The file is missing or empty; rocec only edits the file that the release installs. Check that the package of switchd is " +
			"complete (dpkg -V)."
	}
	lines, why := noMemory(old, grammar.QoSInfra)
	if why != "" {
		return nil, why
	}
	out, err := place(lines, want, func(string) bool { return false }, sameInfra)
	if err != nil {
		return nil, sentence(err)
	}
	return out, ""
}

// sameInfra reports whether two values of qos_infra.conf have the same meaning: quotas are numbers or words there.
func sameInfra(a, b string) bool {
	a, _ = grammar.Unquote(a)
	if same(a, b) || sameNumber(a, b) {
		return true
	}
	p, okP := grammar.ReadQuota(a)
	q, okQ := grammar.ReadQuota(b)
	return okP && okQ && p == q
}

// infraFile returns the edit of qos_infra.conf.
func infraFile(d *ir.Device, rel grammar.Release) target.File {
	spelling, _ := grammar.Infra(rel)
	want := infraSettings(d, spelling)
	wanted := map[string][]ir.Origin{}
	sketch := []byte("# The lines that rocec sets in the " + infraName + " of the switch; all other lines stay. " +
		"Do not copy this file to a switch.\n")
	for _, sec := range want {
		sketch = fmt.Appendf(sketch, "\n# %s\n", sec.title)
		for _, s := range sec.settings {
			wanted[s.key] = s.why
			sketch = fmt.Appendf(sketch, "%s = %s\n", s.key, s.value)
		}
	}
	f := target.File{
		Path: infraPath, Mode: fileMode, Sketch: sketch,
		Activate: reloadUnit, Choose: sayChecker, Precheck: steps.Infra.Cmd, PrecheckName: steps.Infra.Name, InUse: target.NotReadable,
		Edit: func(old []byte) ([]byte, diag.List) {
			out, why := editInfra(old, want)
			if why == "" {
				return out, nil
			}
			var ds diag.List
			topicFile.Errorf(&ds, d.At, "%s on %s cannot be edited. %s", infraPath, d.Name, why)
			return nil, ds
		},
		Keys: func(content []byte) []target.Key { return keysOf(content, wanted) },
		Why:  func(key string) []ir.Origin { return wanted[key] },
	}
	f.Lint = func(content []byte) (found diag.List, foreign string) {
		sets := slices.ContainsFunc(bytes.Split(content, []byte("\n")), says)
		for _, d := range conflint.CheckOwn([]lint.File{{Name: infraPath, Data: content}}).Diagnostics {
			switch {
			case d.Code != conflint.Foreign:
				found = append(found, d)
			case sets:
				foreign = d.Detail
			}
		}
		return found, foreign
	}
	return f
}

// sayChecker returns a sentence if only rocec checks a change.
func sayChecker(_, _ []byte, have []target.Sample) (target.Step, []string) {
	if saw(have, checkerFact, nothing) {
		return reloadUnit, []string{"No " + steps.Tool + " was found, although releases from 4.1 on have it: only rocec checks the files " +
			"before switchd reads them."}
	}
	return reloadUnit, nil
}
