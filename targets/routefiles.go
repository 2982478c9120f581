package targets

import (
	"slices"

	"github.com/rocec/rocec/targets/forwarding"
	"github.com/rocec/rocec/targets/forwarding/kernel"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// asksRoutes are the questions to switches about their tables of next hops. The size of an answer is limited; an answer that is cut off is
// incomplete and not kept.
var asksRoutes = []target.Question{
	{File: "route.json", Cmd: `vtysh -c "show ip route json"` + bounded, Says: "routes of IPv4, by FRRouting"},
	{File: "route6.json", Cmd: `vtysh -c "show ipv6 route json"` + bounded, Says: "routes of IPv6, by FRRouting"},
	{File: "ip-route.json", Cmd: "ip -j -d route" + bounded, Says: "routes of IPv4, by the kernel"},
	{File: "ip-route6.json", Cmd: "ip -6 -j -d route" + bounded, Says: "routes of IPv6, by the kernel"},
	{
		File: summaryFile, Cmd: `vtysh -c "show bgp summary json" -c "show ip bgp summary json"` + bounded,
		Says: "neighbours of BGP and their states",
	},
	{File: treesFile, Cmd: "mstpctl showall json" + bounded, Says: "spanning trees, their roots and the states of ports"},
	{
		File: vlansFile,
		Cmd:  `nv show bridge domain br_default stp vlan | grep -E "^Bridge Vlan:|^Bridge ID|^Designated Root"` + bounded,
		Says: "spanning trees by VLAN",
	},
}

// askAddresses is the question about interfaces, their bonds and their addresses.
var askAddresses = target.Question{File: "addr.json", Cmd: "ip -j -d addr" + bounded, Says: "interfaces and their addresses"}

// askKernel is the question about values of the kernel.
var askKernel = target.Question{
	File: kernelFile, Cmd: askAge + "\n" + kernel.Ask,
	Says: "whether the kernel forwards, the ages of neighbours, and the names of routing programs",
}

// askAge prints the ageing time of the MAC table of SONiC, which is not in the kernel. Other systems print nothing.
//
// Source: sonic-net/sonic-swss, orchagent/switchorch.cpp, fdb_aging_time of SWITCH_TABLE in APPL_DB; sonic-py-swsssdk, sonic-db-cli.
const askAge = `for age in $(sonic-db-cli APPL_DB HGET SWITCH_TABLE:switch fdb_aging_time 2>/dev/null | grep -x -E "[0-9]+"); do ` +
	`echo "mac age $age"; done`

// bounded cuts the output of a command after [forwarding.MaxFile] + 1 bytes.
const bounded = " | head -c 8388609"

// IsRouting reports whether a file has the name of an answer with routes or interfaces.
func IsRouting(name string) bool {
	return slices.ContainsFunc(forwarding.Names, func(base string) bool { return lint.Named(name, base) })
}

// isForwarding reports whether a file has the name of an answer about the forwarding of a device.
func isForwarding(name string) bool { return IsRouting(name) || forwardKind(name) != "" }

// AnyLinux reports whether a device that has a file can be a switch or a host.
func AnyLinux(name string) bool { return isForwarding(name) }

// MostRouting returns the largest size of an answer about forwarding that is read; 0: the file has another name.
func MostRouting(name string) int {
	if isForwarding(name) {
		return forwarding.MaxFile
	}
	return 0
}

// noRouting begins the reason why a file with the name of such an answer is not read.
const noRouting = "its next hops are not known: "

// readRouting reads the answer in a file, and reports a file without an answer.
func readRouting(j *judging, i int) {
	f := &j.files[i]
	answer, err := forwarding.Read(f.Name, f.Data)
	if err != nil {
		why := noRouting + err.Error()
		j.taken[i] = lint.Taken{Why: why}
		j.read[i].unrouted = err.Error()
		j.found = append(j.found, lint.NotJudged(f.Name, why, "Collect it again."))
		return
	}
	j.read[i].forwarding, j.taken[i] = answer, lint.Taken{Dialect: "routes and interfaces", Beside: true}
}

// noForwarding begins the reason why a file with the name of such an answer is not read.
const noForwarding = "it shows nothing about forwarding: "

// judgeForward reads the answer in a file, and reports a file without an answer.
func judgeForward(j *judging, i int) {
	f := &j.files[i]
	answer, err := readForward(f.Name, f.Data)
	if err != nil {
		why := noForwarding + err.Error()
		j.taken[i], j.read[i].unshown = lint.Taken{Why: why}, err.Error()
		j.found = append(j.found, lint.NotJudged(f.Name, why, "Collect it again."))
		return
	}
	j.read[i].forwards, j.taken[i] = answer, lint.Taken{Dialect: "forwarding", Beside: true}
}
