package targets

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/forwarding/bgp"
	"github.com/rocec/rocec/targets/snapshot"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// frrNames are base names of files with the configuration of FRR. It is read for the routing of a device, in addition to its configuration.
var frrNames = []string{"frr.conf"}

// mostFRR is the largest size of a file of FRR that is read.
const mostFRR = 4 << 20

// largeFRR is the reason why a larger file is not read.
const largeFRR = "it is larger than 4 MiB, so its routing is not read"

// isFRR reports whether a file could be opened and has the name of a file of FRR.
func isFRR(f lint.File) bool {
	return f.Why == "" && slices.ContainsFunc(frrNames, func(base string) bool { return lint.Named(f.Name, base) })
}

// keepFRR keeps only the lines of FRR about BGP sessions, policies and static routes. Other lines may contain passwords.
func keepFRR(data []byte) (kept []byte, dropped int) {
	var lines bgp.Lines
	return snapshot.Lines(data, lines.Keeps)
}

// frrOf reads BGP of the default VRF from the configuration of FRR, in the form of frr.conf and of vtysh; nil: it states no AS number.
//
// Source: docs.frrouting.org, BGP: router bgp ASN; neighbor PEER interface remote-as, peer-group, allowas-in, route-map.
func frrOf(data []byte) *target.BGP {
	var out *target.BGP
	remote, group := map[string]string{}, map[string]string{} // by peer
	inside := false
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "!" || strings.HasPrefix(words[0], "#") {
			continue
		}
		if line[0] != ' ' && line[0] != '\t' {
			inside = false
			if len(words) >= 3 && words[0] == "router" && words[1] == "bgp" && !slices.Contains(words, "vrf") &&
				!slices.Contains(words, "view") {
				if as, err := strconv.ParseUint(words[2], 10, 32); err == nil && as > 0 && out == nil {
					out, inside = &target.BGP{AS: uint32(as), Sessions: map[string]uint32{}}, true
				}
			}
			continue
		}
		if inside && len(words) >= 3 && words[0] == "neighbor" {
			frrNeighbour(out, words[1], words[2:], remote, group)
		}
	}
	if out == nil {
		return nil
	}
	for peer, name := range group {
		if remote[peer] == "" {
			remote[peer] = remote[name]
		}
	}
	for peer, is := range remote {
		switch n, err := strconv.ParseUint(is, 10, 32); {
		case is == "external":
			out.Sessions[peer] = 0
		case is == "internal":
			out.Sessions[peer] = out.AS
		case err == nil && n > 0:
			out.Sessions[peer] = uint32(n)
		}
	}
	return out
}

// frrNeighbour reads the words after the peer in a line about a neighbour.
func frrNeighbour(out *target.BGP, peer string, words []string, remote, group map[string]string) {
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch {
		case w == "remote-as" && next != "":
			remote[peer] = next
		case w == "peer-group" && next != "":
			group[peer] = next
		case i == 0 && (w == "allowas-in" || w == "local-as" || w == "as-override"):
			out.Unlike = "routes with another AS path are taken or sent (" + w + ")"
		case i == 0 && slices.Contains([]string{"route-map", "prefix-list", "filter-list", "distribute-list"}, w) && out.Unlike == "":
			out.Unlike = "a policy changes or filters its routes (" + w + ")"
		}
	}
}
