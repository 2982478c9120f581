package targets

import (
	"slices"

	"github.com/rocec/rocec/targets/forwarding"
	"github.com/rocec/rocec/targets/forwarding/bgp"
	"github.com/rocec/rocec/targets/forwarding/kernel"
	"github.com/rocec/rocec/targets/forwarding/stp"
	"github.com/rocec/rocec/targets/target/lint"
)

// Base names of answers about forwarding, in addition to those with routes and interfaces. The name shows the kind of the answer.
const (
	summaryFile = "bgp-summary.json" // show bgp summary json
	kernelFile  = "forwarding.txt"   // [kernel.Ask]
	treesFile   = "stp.json"         // the JSON of mstpctl
	vlansFile   = "stp-vlan.txt"     // spanning trees by VLAN
)

// forwardNames are all of them.
var forwardNames = []string{summaryFile, kernelFile, treesFile, vlansFile}

// forwardAnswer is the content of such a file. One member is set.
type forwardAnswer struct {
	summary *bgp.Summary
	kernel  *kernel.Kernel
	trees   []stp.SpanningTree
	vlans   bool // trees are from the text by VLAN
}

// forwardKind returns the base name of such an answer in the name of a file; empty: the file has another name.
func forwardKind(name string) string {
	i := slices.IndexFunc(forwardNames, func(base string) bool { return lint.Named(name, base) })
	if i < 0 {
		return ""
	}
	return forwardNames[i]
}

// errLarge is the error for an answer that is too large to be whole.
const errLarge forwarding.Unread = "it is larger than 8 MiB"

// readForward reads such an answer. The error is a part of a sentence.
func readForward(name string, data []byte) (a *forwardAnswer, err error) {
	if len(data) > forwarding.MaxFile {
		return nil, errLarge
	}
	a = &forwardAnswer{}
	switch forwardKind(name) {
	case summaryFile:
		a.summary, err = bgp.ReadSummary(data)
	case kernelFile:
		a.kernel, err = kernel.Read(data)
	case treesFile:
		a.trees, err = stp.Read(data)
	default:
		a.vlans = true
		a.trees, err = stp.ReadVLANs(data)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// kept returns the answer with only the values that are read, in the form of the same program.
func (a *forwardAnswer) kept() ([]byte, error) {
	switch {
	case a.summary != nil:
		return a.summary.Kept()
	case a.kernel != nil:
		return a.kernel.Kept(), nil
	case a.vlans:
		return stp.KeptVLANs(a.trees), nil
	}
	return stp.Kept(a.trees)
}
