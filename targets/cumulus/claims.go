package cumulus

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/cumulus/steps"
	"github.com/rocec/rocec/targets/target"
)

// openClaims returns statements of the manuals about the files of a switch, and open questions, each with a query for the switch. A query
// reads the keys of lines. It reads values only where they are numbers or words of the vendor, since other values contain names that
// people chose.
func openClaims(d *ir.Device) []target.Claim {
	rel, doc, ok := documented(d.Switch.Version)
	if !ok {
		return nil
	}
	spectrum := d.Switch.Model.ASIC.Vendor == platform.Mellanox
	out := []target.Claim{
		placeClaim(rel), spellingClaim(rel, doc), markingClaim(rel, doc), cableClaim(rel), checkerClaim(rel),
		counterClaim(d), logClaim(), nodesClaim(),
	}
	if split(rel) {
		return slices.DeleteFunc(append(out, poolClaim(), checkerPairClaim()), unasked)
	}
	out = append(out, memoryPlaceClaim(d.Switch.Model.ASIC), ncluClaim(rel))
	if spectrum {
		out = append(out, memoryKeysClaim(rel, d.Switch.Model.ASIC), reloadClaim(rel, d.Switch.Model.ASIC))
	}
	return slices.DeleteFunc(out, unasked)
}

// unasked reports whether a claim does not apply to this release.
func unasked(c target.Claim) bool { return c.ID == "" }

// manualOf names a chapter of the manual of a release.
func manualOf(r grammar.Release, chapter string) string {
	return fmt.Sprintf("Cumulus Linux %d.%d, %s", r[0], r[1], chapter)
}

const (
	bufferChapter = "Buffer and Queue Management"
	qosChapter    = "Quality of Service"
)

// chapter names the chapter on classes and buffers in the manual of a release.
func chapter(r grammar.Release) string {
	if split(r) {
		return manualOf(r, qosChapter)
	}
	return manualOf(r, bufferChapter)
}

// kindsOf prints paths, each with its kind: link, file or none.
func kindsOf(paths ...string) target.Query {
	return target.Query{Cmd: "for f in " + strings.Join(paths, " ") + `; do
is=none
if [ -h "$f" ]; then is=link; elif [ -f "$f" ]; then is=file; fi
echo "$f $is"
done`}
}

// kinds reads the answer of [kindsOf]; not ok: a path is missing in it.
func kinds(answer []byte, paths []string) (of map[string]string, ok bool) {
	of = map[string]string{}
	for _, l := range shownLines(answer) {
		path, is, _ := strings.Cut(l, " ")
		of[path] = is
	}
	return of, !slices.ContainsFunc(paths, func(p string) bool { return !slices.Contains([]string{"file", "link", "none"}, of[p]) })
}

// shownLines returns the lines of an answer, without leading spaces and comment marks.
func shownLines(answer []byte) (all []string) {
	for l := range strings.Lines(string(answer)) {
		if l = strings.TrimLeft(strings.TrimSpace(l), "# "); l != "" {
			all = append(all, l)
		}
	}
	return all
}

// keysIn returns a query for those keys of a pattern that a file contains, also in comments. Each key is printed once.
func keysIn(path, keys string) target.Query {
	return target.Query{Cmd: "grep -oE '^#? *(" + keys + ")' " + path + " | sort -u"}
}

func placeClaim(r grammar.Release) target.Claim {
	paths := []string{confPath(r)}
	if split(r) {
		paths = append(paths, infraPath)
	}
	return target.Claim{
		ID: "cumulus-files-place", Own: true, Source: chapter(r), Query: kindsOf(paths...),
		Says: fmt.Sprintf("The release has its settings in %s, no symbolic %s.", diag.And(paths), diag.Plural(len(paths), "link", "links")),
		Judge: func(answer []byte) target.Verdict {
			of, ok := kinds(answer, paths)
			return target.Decide(ok, !slices.ContainsFunc(paths, func(p string) bool { return of[p] != "file" }))
		},
	}
}

func spellingClaim(r grammar.Release, doc grammar.Spelling) target.Claim {
	field, sorts := "traffic.packet_priority_source_set", "traffic.cos_0.priority_source.8021p"
	if doc.Of(grammar.T1) {
		field, sorts = "traffic.packet_priority_source", "traffic.cos_0.packet_priorities"
	}
	return target.Claim{
		ID: "cumulus-map-spelling", Own: true, Says: "The file spells the trusted fields as " + field + " and the map as " + sorts + ".",
		Source: chapter(r) + "; a file of 2017, probably of 3.4, has a third form (packet_priorities.8021p)",
		Query: keysIn(confPath(r), `traffic\.packet_priority_source(_set)?|`+
			`traffic\.cos_0\.(priority_source|packet_priorities)(\.8021p|\.dscp)?`),
		Judge: func(answer []byte) target.Verdict {
			have := shownLines(answer)
			some := slices.ContainsFunc(have, func(l string) bool { return strings.HasPrefix(l, "traffic.") })
			return target.Decide(some, slices.Contains(have, field) && slices.Contains(have, sorts))
		},
	}
}

func markingClaim(r grammar.Release, doc grammar.Spelling) target.Claim {
	var want []string
	for _, f := range []grammar.Feature{doc.Marking(), doc.DefaultMarking()} {
		if f != "" {
			want = append(want, string(f))
		}
	}
	if len(want) == 0 {
		return target.Claim{}
	}
	return target.Claim{
		ID: "cumulus-marking-keys", Own: true,
		Says:   "The file has keys of " + strings.Join(want, " and of ") + ", at least in comments.",
		Source: chapter(r) + "; manuals of 4.0 to 4.2 print ecn in examples and ecn_red in lists",
		Query:  keysIn(confPath(r), `(default_ecn_red_conf|default_ecn_conf|ecn_red|ecn)\.`),
		Judge: func(answer []byte) target.Verdict {
			have := shownLines(answer)
			some := slices.ContainsFunc(have, func(l string) bool { return strings.Contains(l, "ecn") && strings.HasSuffix(l, ".") })
			return target.Decide(some, !slices.ContainsFunc(want, func(f string) bool { return !slices.Contains(have, f+".") }))
		},
	}
}

func cableClaim(r grammar.Release) target.Claim {
	if !r.AtLeast(4, 2) {
		return target.Claim{}
	}
	return target.Claim{
		ID: "cumulus-cable-default", Own: true,
		Says:   "A port group without cable_length is sized for 10 m, the value in the commented template.",
		Source: "the template in the file of 4.3; the text of Cumulus Linux 4.4, Quality of Service, says 100",
		Query:  target.Query{Cmd: "grep -E '^ *#.*cable_length' " + confPath(r) + " | grep -oE 'cable_length *= *[0-9]+' | sort -u"},
		Judge: func(answer []byte) target.Verdict {
			some, ten := false, true
			for _, l := range shownLines(answer) {
				key, value, ok := strings.Cut(l, "=")
				if ok && strings.TrimSpace(key) == "cable_length" {
					some, ten = true, ten && strings.TrimSpace(value) == "10"
				}
			}
			return target.Decide(some, ten)
		},
	}
}

func checkerClaim(r grammar.Release) target.Claim {
	says := "The release has " + steps.Tool + ", which checks a file before switchd reads it."
	if !hasChecker(r) {
		says = "The release has no " + steps.Tool + "."
	}
	return target.Claim{
		ID: "cumulus-checker", Says: says,
		Source: "in the chapters of 4.2 and later, and in no chapter before 4.0; unknown for 4.0 and 4.1",
		Query:  target.Query{Cmd: steps.FindTool + "command -v " + steps.Tool + " || echo none"},
		Judge: func(answer []byte) target.Verdict {
			have := shownLines(answer)
			none := slices.Contains(have, "none")
			there := slices.ContainsFunc(have, func(l string) bool { return strings.HasSuffix(l, "/"+steps.Tool) })
			return target.Decide(none != there, there == hasChecker(r))
		},
	}
}

func checkerPairClaim() target.Claim {
	return target.Claim{
		ID: "cumulus-checker-options", Says: "The checker takes the two files by -qf and -qi.", Source: "Cumulus Linux 5.x, " + qosChapter,
		Query: target.Query{Cmd: steps.FindTool + steps.Tool + " --datapath-syntax-check -h </dev/null"},
		Judge: func(answer []byte) target.Verdict {
			text := string(answer)
			return target.Decide(strings.Contains(strings.ToLower(text), "usage"), strings.Contains(text, "-qf") && strings.Contains(text, "-qi"))
		},
	}
}

func counterClaim(d *ir.Device) target.Claim {
	if len(d.Ports) == 0 {
		return target.Claim{}
	}
	port := sorted(d.Ports)[0].port.String()
	return target.Claim{
		ID: "cumulus-counters", Says: "A port counts pauses by priority, discards and marks under the names that verify reads.",
		Source: "public output of ethtool -S of switch ports; the sample of Cumulus Linux 4.2, Switch Port Attributes, has no pauses by priority",
		Query:  target.Query{Cmd: "ethtool -S " + port + " | grep -oE 'HwIf[A-Za-z0-9]+' | sort -u"},
		Judge: func(answer []byte) target.Verdict {
			have := shownLines(answer)
			some := slices.ContainsFunc(have, func(l string) bool { return strings.HasPrefix(l, "HwIf") })
			return target.Decide(some, !slices.ContainsFunc(counters(), func(name string) bool { return !slices.Contains(have, name) }))
		},
	}
}

func logClaim() target.Claim {
	return target.Claim{
		ID: "cumulus-switchd-log", Says: "switchd writes what it refuses to " + steps.Log + ".",
		Source: "Cumulus Linux 4.1, switchd Log Message Reference; nothing is published of 3.x",
		Query:  kindsOf(steps.Log),
		Judge: func(answer []byte) target.Verdict { // without a log file, switchd may just have logged nothing yet
			return target.Decide(slices.Contains(shownLines(answer), steps.Log+" file"), true)
		},
	}
}

func nodesClaim() target.Claim {
	const folder = "/cumulus/switchd"
	return target.Claim{
		ID: "cumulus-nodes", Says: "No node of switchd shows which classes, pauses and buffers are in use.",
		Source: "no manual names such a node; the log messages of 4.1 mention a node for cos, without its path",
		Query: target.Query{Cmd: `find ` + folder + ` \( ! -path '*/interface/*' -o -path '*/interface/swp*' \) ` + // people name bonds
			`\( -ipath '*cos*' -o -ipath '*traffic*' -o -ipath '*pfc*' -o -ipath '*buffer*' \) -print ` +
			"| head -n 80\necho end"},
		Judge: func(answer []byte) target.Verdict {
			have := shownLines(answer)
			if len(have) == 0 || have[len(have)-1] != "end" {
				return target.NotDecided
			}
			have = have[:len(have)-1]
			strange := slices.ContainsFunc(have, func(l string) bool { return !strings.HasPrefix(l, folder+"/") })
			known := !slices.ContainsFunc(have, func(l string) bool { return !strings.HasPrefix(steps.ReloadNode+"/", l+"/") })
			return target.Decide(!strange && known, true) // a person must read what other nodes show
		},
	}
}

func poolClaim() target.Claim {
	return target.Claim{
		ID: "cumulus-pool-keys", Own: true,
		Says: "The keys flow_control.ingress_service_pool and flow_control.egress_service_pool name the pool of lossless traffic, and words " +
			"such as ALPHA_1 name shares of pools.",
		Source: "a public draft of the file of 5.0; the chapters print parts of the file",
		Query: keysIn(infraPath, `flow_control\.[a-z_.]+ *= *[A-Za-z0-9_]+|(ingress|egress)_service_pool\.[0-9]+\.(percent|mode) *= *[0-9.]+`+
			`|priority_group\.bulk\.[a-z_.]+ *= *[A-Za-z0-9_]+`),
		Judge: func(answer []byte) target.Verdict {
			text := string(answer)
			return target.Decide(strings.Contains(text, "flow_control."), strings.Contains(text, "flow_control.ingress_service_pool") &&
				strings.Contains(text, "flow_control.egress_service_pool") && strings.Contains(text, "ALPHA_"))
		},
	}
}

func memoryPlaceClaim(a *platform.ASIC) target.Claim {
	paths := memoryPaths(a)
	return target.Claim{
		ID: "cumulus-memory-place", Says: "The file of the chip's memory is " + paths[0] + ".",
		Source: "Cumulus Linux 3.2 to 4.3, " + bufferChapter + "; a package of 4.3.2 names another place",
		Query:  kindsOf(paths...),
		Judge: func(answer []byte) target.Verdict {
			of, ok := kinds(answer, paths)
			return target.Decide(ok, of[paths[0]] == "file")
		},
	}
}

func memoryKeysClaim(r grammar.Release, a *platform.ASIC) target.Claim {
	if !r.AtLeast(3, 7) {
		return target.Claim{}
	}
	return target.Claim{
		ID: "cumulus-memory-keys", Own: true,
		Says:   "The file of the chip's memory shows the mode of pool 0 and quotas, at least in comments.",
		Source: "Cumulus Linux 3.7, RDMA over Converged Ethernet, prints those of the preset; the shipped file is not published",
		Query: target.Query{Cmd: `grep -hoE '^#? *((ingress|egress)_service_pool\.[0-9]+\.(percent|mode)|(flow_control|priority_group\.` +
			`(control|service|bulk))\.[a-z_.]+) *= *[A-Za-z0-9_.]+' ` + strings.Join(memoryPaths(a), " ") + " | sort -u"},
		Judge: func(answer []byte) target.Verdict {
			text := string(answer)
			return target.Decide(strings.Contains(text, "service_pool"), poolMode().MatchString(text) && quota().MatchString(text))
		},
	}
}

func reloadClaim(r grammar.Release, a *platform.ASIC) target.Claim {
	says, is := "The release has no node that makes switchd reload the file", reloads(r, a)
	if is {
		says = "The release has a node that makes switchd reload the file"
	}
	return target.Claim{
		ID: "cumulus-reload-node", Says: says + ": " + steps.ReloadNode + ".",
		Source: "Cumulus Linux 4.0 to 4.3, " + bufferChapter + "; no earlier manual mentions it",
		Query:  target.Query{Cmd: "if [ -e " + steps.ReloadNode + " ]; then echo there; else echo none; fi"},
		Judge: func(answer []byte) target.Verdict {
			have := shownLines(answer)
			there, none := slices.Contains(have, "there"), slices.Contains(have, "none")
			return target.Decide(there != none, there == is)
		},
	}
}

func ncluClaim(r grammar.Release) target.Claim {
	if !r.AtLeast(3, 2) {
		return target.Claim{}
	}
	return target.Claim{
		ID:     "cumulus-nclu",
		Says:   "`net show configuration commands` exits 0 for a user with read permission, and lists the RoCE presets that are set.",
		Source: "Cumulus Linux 3.7 and 4.3, RDMA over Converged Ethernet; no manual documents the exit status",
		Query: target.Query{Cmd: `said=$(net show configuration commands 2>/dev/null)
echo "status $?"
printf '%s\n' "$said" | grep -oE 'storage-optimized( pfc)?|roce( lossless| lossy)?|egress-sched' | sort -u`},
		Judge: func(answer []byte) target.Verdict {
			have := shownLines(answer)
			told := len(have) > 0 && strings.HasPrefix(have[0], "status ") && have[0] != "status 127"
			return target.Decide(told, told && have[0] == "status 0")
		},
	}
}

// The keys that [memoryKeysClaim] requires in the file, in comments or not.
var (
	poolMode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`ingress_service_pool\.0\.mode *=`) })
	quota    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.dynamic_quota *=`) })
)
