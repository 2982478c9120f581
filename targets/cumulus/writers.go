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

// The answer of a switch about who else writes traffic.conf: lines of NCLU, how NCLU ended, a line that parts, the file.
const (
	ncluEnded = "nclu status "
	fileBegin = "== traffic.conf\n" // or what is in its place
)

// hasNCLU reports whether the manual of a release has NCLU commands that write traffic.conf: storage-optimized from 3.7 on, roce and
// egress-sched in 4.3. What it writes from 4.4 on is not known; the files of an image have no NCLU from 5.0 on.
func hasNCLU(r grammar.Release) bool { return r.AtLeast(3, 7) && !split(r) }

// writersWatch asks for the file as it is, and NCLU for those of its commands that write it, or from 4.4 on whether NVUE runs.
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

// judgeWriters names other writers of a switch's traffic.conf, and their settings that are in force beside rocec's. Texts name no switch,
// so that alike switches share one text.
func judgeWriters(d *ir.Device, doc grammar.Spelling, answer []byte, failed string) (found diag.List) {
	at := diag.FirstPlace(d.At, d.Decl)
	said, content, ok := bytes.Cut(answer, []byte(fileBegin))
	file, other := fileText(d), "NCLU"
	if file == featuresName {
		other = "NVUE"
	}
	if failed != "" || !ok {
		if failed == "" {
			failed = "the answer breaks off"
		}
		topicWriter.Noticef(&found, at, "Other writers of %s were not read: %s. It is unknown whether %s or a template also writes it.",
			file, target.Escape(failed), other)
		return found
	}
	lines, _ := grammar.Parse(content) // what can be read is judged, whether or not it may be edited
	if file == featuresName {
		judgeNVUED(&found, at, string(said))
	} else {
		judgeNCLU(&found, at, readNCLU(said), lines)
	}
	if !d.ByOthers { // else a tool is the writer in the fabric
		judgeTemplate(&found, at, file, lines)
	}
	judgeBeside(&found, at, d, doc, content, lines)
	return found
}

// judgeNVUED names NVUE where it runs and does not ignore the file: its next apply of any change writes the file anew.
// Classes in NVUE refuse the switch ([judgeNVUE]).
func judgeNVUED(found *diag.List, at diag.Range, said string) {
	if strings.HasPrefix(said, nvueActive) && !strings.Contains(said, featuresPath) {
		topicWriter.Warnf(found, at, "NVUE runs on the switch and does not ignore %s and %s: its next nv config apply of any change asks "+
			"whether to write them anew. Set the ignore (nv set system config apply ignore, with each path), or stop "+
			"nvued.", featuresPath, infraPath)
	}
}

// nclu is the answer of NCLU about itself.
type nclu struct {
	there    bool
	failed   string   // its status, where it gave no configuration
	commands []string // that write traffic.conf
}

// readNCLU reads `net show configuration commands`, whose form no manual describes: words that are in the names of commands count, those of
// a description do not.
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

// ncluGroups are the port groups that NCLU's RoCE commands make.
var ncluGroups = []string{"ROCE_PFC", "ROCE_ECN"}

// judgeNCLU names NCLU where it holds commands that write the file, and where the file shows that it did.
func judgeNCLU(found *diag.List, at diag.Range, n nclu, lines []grammar.Line) {
	if len(n.commands) > 0 {
		topicWriter.Warnf(found, at, "NCLU holds %s on the switch: its next net commit of RoCE or queues writes port groups of its own into "+
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
		topicWriter.Warnf(found, at, "NCLU made the %s of traffic.conf, and does not print its commands (exit status %s): its next net "+
			"commit of RoCE may write them again. Look with net show configuration commands, and delete what names roce or "+
			"storage-optimized.",
			names, target.Escape(n.failed))
	case !n.there && listed:
		topicWriter.Warnf(found, at, "NCLU made the %s, in force in traffic.conf, and could not be asked whether it holds the commands for "+
			"them: a net commit of RoCE may write them again. Look with net show configuration commands.", names)
	case !n.there:
		topicWriter.Noticef(found, at, "NCLU made the %s of traffic.conf, which no list names any more; its present commands could not be "+
			"read.", names)
	default:
		topicWriter.Noticef(found, at, "NCLU made the %s of traffic.conf; it holds no command for them now.", names)
	}
}

// quoted lists commands of others, the first few.
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

// generated is what comments say in files that a tool makes from a template.
var generated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bansible\b|\bansible_|\bjinja2?\b|\.j2\b|\{\{|\{%|` +
		`\b(managed|generated|maintained|controlled|written) by (puppet|chef|salt|saltstack|cfengine|terraform|nornir)\b`)
})

// judgeTemplate names the comment with which a tool claims the file.
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
		topicWriter.Warnf(found, at, "A tool makes %s from a template, by line %d (%s): its next run replaces the whole file, and "+
			"what rocec wrote is gone. Take the file out of the tool's run, and delete the line.", file, i+1, target.Escape(text))
		return
	}
}

// beside are the features of port groups that rocec judges on ports of the fabric, and the property that each decides.
var beside = []struct {
	feature grammar.Feature
	decides string
}{
	{grammar.PFC, "PFC"},
	{grammar.LinkPause, "link pause"},
	{grammar.ECN, "marking"},
	{grammar.ECNRED, "marking"},
	{grammar.Source, "the field that is trusted"},
	{grammar.Remark, "the marks packets leave with"},
	{grammar.EgressSched, "the shares of queues"},
}

// judgeBeside names the settings of others that are in force where rocec writes its own, and states the effect of the edit on them.
func judgeBeside(found *diag.List, at diag.Range, d *ir.Device, doc grammar.Spelling, content []byte, lines []grammar.Line) {
	shown := doc.Shown(lines)
	have := grammar.ValuesOf(lines)
	s := lower(d, doc)
	edited, err := edit(content, doc, s)
	if err != nil {
		return // the switch is refused for it
	}
	next, _ := grammar.Parse(edited)
	after := grammar.ValuesOf(next)
	takes, comments := "rocec takes the fabric's ports out", "rocec writes weights, and makes these lines comments"
	if d.ByOthers {
		takes = "The writer of the file must take the fabric's ports out"
		comments = "The fabric wants weights, so the writer of the file must make these lines comments"
	}
	for _, b := range beside {
		was := holding(shown, b.feature, have, s.fabric)
		if len(was) == 0 {
			continue
		}
		what := fmt.Sprintf("Others decide %s at ports of the fabric by %s of %s (%s)", b.decides,
			groupsText(was), fileText(d), b.feature)
		if still := holding(shown, b.feature, after, s.fabric); len(still) > 0 {
			topicBeside.Warnf(found, at, "%s. There is no lossless or marked class at these ports, so they may stay; their effect on other "+
				"RoCE is not judged.", what)
			continue
		}
		topicBeside.Warnf(found, at, "%s. The manuals do not state what a port in two groups does. %s; a group stays in force for the ports it "+
			"has left.", what, takes)
	}
	if slices.ContainsFunc(lines, func(l grammar.Line) bool { return l.Active() && silenced(l.Key, shown) }) {
		topicBeside.Warnf(found, at, "Queues have shares of the link by %s in traffic.conf, beside the weights of priority groups. Which counts "+
			"is not documented for 4.3; the form by queues is the newer one, and the only one after. %s.", grammar.DefaultSched, comments)
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

// holding gives the port groups of others in force of a feature with ports among those given.
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

// silenced reports whether a key of others is made a comment: shares of queues for all ports, which have no list to be taken out of.
func silenced(key string, d grammar.Spelling) bool {
	return strings.HasPrefix(key, string(grammar.DefaultSched)+".") && d.Key(grammar.DefaultSched, grammar.QueueShare) != nil &&
		d.Key(grammar.PriorityGroup, grammar.Weight) != nil
}

// silence makes comments of the settings that are not to be in force beside rocec's.
func silence(lines []grammar.Line, d grammar.Spelling) {
	for i := range lines {
		if l := &lines[i]; l.Active() && silenced(l.Key, d) {
			*l = grammar.Line{Head: "# " + l.Text(), End: l.End, Key: l.Key, Hidden: true}
		}
	}
}
