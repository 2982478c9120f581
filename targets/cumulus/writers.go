package cumulus

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

// The parts of a switch's answer about other writers of traffic.conf: lines of NCLU, the exit status of NCLU, a separating line, and the
// file.
const (
	ncluEnded = "nclu status "
	fileBegin = "== traffic.conf\n" // also before a qos_features.conf
)

// hasNCLU reports whether the manual of a release has NCLU commands that write traffic.conf: storage-optimized from 3.7 on, roce and
// egress-sched in 4.3. Its files from 4.4 on are unknown; images from 5.0 on contain no NCLU.
func hasNCLU(r grammar.Release) bool { return r.AtLeast(3, 7) && !split(r) }

// writersWatch asks for the present file. It asks NCLU for its commands that write the file, or, from 4.4 on, whether NVUE runs.
func writersWatch(d *ir.Device, r grammar.Release, doc grammar.Spelling) target.Watch {
	cmd := ""
	if hasNCLU(r) {
		cmd = "if command -v net >/dev/null; then\n{ timeout 10 net show configuration commands 2>/dev/null; echo \"" + ncluEnded +
			"$?\"; } | LC_ALL=C grep -E 'roce|storage-optimized|egress-sched|^" + ncluEnded + "' | head -n 64 | head -c 4096\necho\nfi\n"
	}
	if split(r) {
		cmd = "if systemctl is-active --quiet nvued; then\n\techo '" + nvueActive +
			"'\n\tgrep -F " + featuresPath + " " + nvueStartup + " 2>/dev/null\nfi\n"
	}
	cmd += fmt.Sprintf("echo '%s'\ntest ! -e %[2]s || head -c %[3]d %[2]s\n", strings.TrimSpace(fileBegin), confPath(r), grammar.MaxFile+1)
	return target.Watch{
		Name:  "writers",
		Query: target.Query{Cmd: cmd},
		Judge: func(answer []byte, failed string) (diag.List, []target.Fact) {
			return judgeWriters(d, doc, answer, failed), nil
		},
	}
}

// judgeWriters reports other writers of a switch's traffic.conf, and settings of others that are in force beside rocec's. Texts name no
// switch, so that equal switches share one text.
func judgeWriters(d *ir.Device, doc grammar.Spelling, answer []byte, failed string) (found diag.List) {
	at := diag.FirstPlace(d.At, d.Decl)
	said, content, ok := bytes.Cut(answer, []byte(fileBegin))
	file, other := fileText(d), "NCLU"
	if file == featuresName {
		other = "NVUE"
	}
	if failed != "" || !ok {
		if failed == "" {
			failed = "the answer is incomplete"
		}
		topicWriter.Noticef(&found, at, "Other writers of %s were not read: %s. It is unknown whether %s or a template also writes it.",
			file, target.Escape(failed), other)
		return found
	}
	lines, _ := grammar.Parse(content) // readable lines are judged even if the file cannot be edited
	if file == featuresName {
		judgeNVUED(&found, at, string(said))
	} else {
		judgeNCLU(&found, at, readNCLU(said), lines)
	}
	if !d.ByOthers { // in the fabric the writer of the others may be a tool
		judgeTemplate(&found, at, file, lines)
	}
	judgeBeside(&found, at, d, doc, content, lines)
	return found
}

// judgeNVUED reports NVUE if it runs and does not ignore the file: its next apply of any change overwrites the file. If NVUE has classes,
// the switch is refused ([judgeNVUE]).
func judgeNVUED(found *diag.List, at diag.Range, said string) {
	if strings.HasPrefix(said, nvueActive) && !strings.Contains(said, featuresPath) {
		topicWriter.Warnf(found, at, "NVUE runs on the switch and does not ignore %s and %s: its next nv config apply of any change asks "+
			"whether to overwrite them. Let NVUE ignore them (nv set system config apply ignore, with each path), or stop "+
			"nvued.", featuresPath, infraPath)
	}
}

// nclu is the parsed answer of NCLU.
type nclu struct {
	there    bool
	failed   string   // its exit status if it failed
	commands []string // the commands that write traffic.conf
}

// readNCLU reads the output of `net show configuration commands`, whose form no manual describes. Only words in the names of commands
// count, not words in a description.
func readNCLU(said []byte) (n nclu) {
	for l := range strings.Lines(string(said)) {
		l = strings.TrimSpace(l)
		if status, ok := strings.CutPrefix(l, ncluEnded); ok {
			n.there = true
			if status != "0" {
				n.failed = status
			}
			continue
		}
		command, _, _ := strings.Cut(l, " alias ")
		words := strings.Fields(command)
		if len(words) > 2 && words[0] == "net" && words[1] == "add" && slices.ContainsFunc(words[2:], func(w string) bool {
			return w == "roce" || w == "storage-optimized" || w == "egress-sched"
		}) {
			n.there = true
			n.commands = append(n.commands, command)
		}
	}
	return n
}

// ncluGroups are the port groups that NCLU's RoCE commands write.
var ncluGroups = []string{"ROCE_PFC", "ROCE_ECN"}

// judgeNCLU reports NCLU if it has commands that write the file, or if the file shows that NCLU has written it.
func judgeNCLU(found *diag.List, at diag.Range, n nclu, lines []grammar.Line) {
	if len(n.commands) > 0 {
		topicWriter.Warnf(found, at, "NCLU has %s on the switch: its next net commit of RoCE or queues writes its own port groups into "+
			"traffic.conf and changes datapath.conf, and the last writer wins. Delete the commands (net del), commit, and then "+
			"apply.", quoted(n.commands))
		return
	}
	var groups []string
	listed := false
	have := grammar.ValuesOf(lines)
	for i := range lines {
		if words := strings.Split(lines[i].Key, "."); lines[i].Active() && len(words) > 2 && slices.Contains(ncluGroups, words[1]) {
			if !slices.Contains(groups, words[1]) {
				groups = append(groups, words[1])
			}
			listed = listed || slices.Contains(listedGroups(have, grammar.Feature(words[0])), words[1])
		}
	}
	if len(groups) == 0 {
		if n.failed != "" {
			topicWriter.Noticef(found, at, "The commands of NCLU were not read: net show configuration commands fails (exit status %s). It is "+
				"unknown whether NCLU has commands that write traffic.conf.", target.Escape(n.failed))
		}
		return
	}
	names := "port group " + diag.And(groups)
	if len(groups) > 1 {
		names = "port groups " + diag.And(groups)
	}
	switch {
	case n.failed != "":
		topicWriter.Warnf(found, at, "NCLU wrote the %s in traffic.conf, and does not print its commands (exit status %s): its next net "+
			"commit of RoCE may write the same again. Run net show configuration commands, and delete the commands with roce or "+
			"storage-optimized.",
			names, target.Escape(n.failed))
	case !n.there && listed:
		topicWriter.Warnf(found, at, "NCLU wrote the %s, in force in traffic.conf, and it is unknown whether NCLU still has the commands for "+
			"this: a net commit of RoCE may write the same again. Run net show configuration commands.", names)
	case !n.there:
		topicWriter.Noticef(found, at, "NCLU wrote the %s in traffic.conf, and no list names it now; the present commands of NCLU could not "+
			"be read.", names)
	default:
		topicWriter.Noticef(found, at, "NCLU wrote the %s in traffic.conf, but has no command for this now.", names)
	}
}

// quoted lists the first few of other writers' commands.
func quoted(commands []string) string {
	const most = 3
	var out []string
	for _, c := range commands[:min(len(commands), most)] {
		if len(c) > 100 {
			c = c[:100]
		}
		out = append(out, `"`+target.Escape(c)+`"`)
	}
	if n := len(commands) - most; n > 0 {
		out = append(out, fmt.Sprintf("%d more", n))
	}
	return diag.And(out)
}

// generated matches the comments in files that a tool writes from a template.
var generated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bansible\b|\bansible_|\bjinja2?\b|\.j2\b|\{\{|\{%|` +
		`\b(managed|generated|maintained|controlled|written) by (puppet|chef|salt|saltstack|cfengine|terraform|nornir)\b`)
})

// judgeTemplate reports a comment which shows that a tool writes the file.
func judgeTemplate(found *diag.List, at diag.Range, file string, lines []grammar.Line) {
	for i := range lines {
		l := &lines[i]
		text := l.Tail
		if !l.Active() {
			text = l.Text()
		}
		text = strings.TrimSpace(text)
		if !strings.HasPrefix(text, "#") || !generated().MatchString(text) {
			continue
		}
		if len(text) > 100 {
			text = text[:100]
		}
		topicWriter.Warnf(found, at, "By line %[2]d (%[3]s) a tool writes %[1]s from a template: its next run replaces the whole file, with "+
			"rocec's settings. Remove the file from the tool's run, and delete the line.", file, i+1, target.Escape(text))
		return
	}
}

// beside contains the features whose port groups of others rocec reports on ports of the fabric, and the property that each decides.
var beside = []struct {
	feature grammar.Feature
	decides string
}{
	{grammar.PFC, "PFC"},
	{grammar.LinkPause, "link pause"},
	{grammar.ECN, "marking"},
	{grammar.ECNRED, "marking"},
	{grammar.Source, "the trusted field"},
	{grammar.Remark, "the PCP and DSCP of outgoing packets"},
	{grammar.EgressSched, "the shares of queues"},
}

// judgeBeside reports settings of others that are in force where rocec writes settings, and states the effect of the edit on them.
func judgeBeside(found *diag.List, at diag.Range, d *ir.Device, doc grammar.Spelling, content []byte, lines []grammar.Line) {
	shown := doc.Shown(lines)
	have := grammar.ValuesOf(lines)
	s := lower(d, doc)
	edited, err := edit(content, doc, s)
	if err != nil {
		return // the edit refuses the switch
	}
	next, _ := grammar.Parse(edited)
	after := grammar.ValuesOf(next)
	takes, comments := "rocec removes the fabric's ports", "rocec writes weights, and turns these lines into comments"
	if d.ByOthers {
		takes = "The writer of the file must remove the fabric's ports"
		comments = "The fabric needs weights, so the writer of the file must turn these lines into comments"
	}
	for _, b := range beside {
		was := holding(shown, b.feature, have, s.fabric)
		if len(was) == 0 {
			continue
		}
		what := fmt.Sprintf("Other writers set %s at ports of the fabric: %s of %s (%s)", b.decides,
			groupsText(was), fileText(d), b.feature)
		if still := holding(shown, b.feature, after, s.fabric); len(still) > 0 {
			topicBeside.Warnf(found, at, "%s. These ports have no lossless or marked class, so the groups may stay; rocec did not judge their "+
				"effect on other RoCE.", what)
			continue
		}
		topicBeside.Warnf(found, at, "%s. The manuals do not state which group counts for a port in two groups. %s; a group stays in force "+
			"for its other ports.", what, takes)
	}
	if slices.ContainsFunc(lines, func(l grammar.Line) bool { return l.Active() && silenced(l.Key, shown) }) {
		topicBeside.Warnf(found, at, "In traffic.conf, %s gives queues shares of the link, beside the weights of priority groups. The manual "+
			"of 4.3 does not state which of them counts; shares of queues are the newer form, and the only one later. "+
			"%s.", grammar.DefaultSched, comments)
	}
}

// groupsText names port groups.
func groupsText(names []string) string {
	const most = 5
	var out []string
	for _, n := range names[:min(len(names), most)] {
		out = append(out, `"`+target.Escape(n)+`"`)
	}
	if n := len(names) - most; n > 0 {
		out = append(out, fmt.Sprintf("%d more", n))
	}
	if len(names) == 1 {
		return "port group " + out[0]
	}
	return "the port groups " + diag.And(out)
}

// holding returns the port groups of others that are in force for a feature and contain some of the ports.
func holding(d grammar.Spelling, f grammar.Feature, have grammar.Values, ports []grammar.Port) (groups []string) {
	key := d.Accepts(f, grammar.GroupPorts)
	if key == nil {
		return nil
	}
	for _, g := range listedGroups(have, f) {
		if ours(f, g) || slices.Contains(groups, g) {
			continue
		}
		set := have[key.Spell(-1, g)]
		if rest, ok := without(set, ports); !ok || rest != set {
			groups = append(groups, g)
		}
	}
	return groups
}

// silenced reports whether an edit turns a key of others into a comment. It does so with shares of queues for all ports, since no list can
// turn them off.
func silenced(key string, d grammar.Spelling) bool {
	return strings.HasPrefix(key, string(grammar.DefaultSched)+".") && d.Key(grammar.DefaultSched, grammar.QueueShare) != nil &&
		d.Key(grammar.PriorityGroup, grammar.Weight) != nil
}

// silence turns settings into comments that must not be in force beside rocec's.
func silence(lines []grammar.Line, d grammar.Spelling) {
	for i := range lines {
		if l := &lines[i]; l.Active() && silenced(l.Key, d) {
			*l = grammar.Line{Head: "# " + l.Text(), End: l.End, Key: l.Key, Hidden: true}
		}
	}
}
