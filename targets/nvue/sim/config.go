package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/target"
)

// call is one run of nv.
type call struct {
	*NVUE
	p        *target.Proc
	words    []string
	set      map[string]string // options with their values
	file     []byte            // the files that patch and replace load
	fileErr  error
	ask      string // a question without an answer
	answered bool
	yes      bool
	stopped  bool // nvued is stopped
}

// takesValue are the options of nv with a value.
var takesValue = []string{"-r", "--rev", "-o", "--output", "-m", "--message"}

func (n *NVUE) nv(p *target.Proc) (status int) {
	c := &call{NVUE: n, p: p, set: map[string]string{}}
	for args := p.Args[1:]; len(args) > 0; args = args[1:] {
		name, v, given := strings.Cut(args[0], "=")
		if !strings.HasPrefix(name, "-") {
			c.words = append(c.words, args[0])
			continue
		}
		if slices.Contains(takesValue, name) && !given {
			if len(args) == 1 {
				return c.fail("Error: %s requires a value", name)
			}
			args, v = args[1:], args[1]
		}
		if _, err := duration(v); name == "--confirm" && !given && len(args) > 1 {
			if _, err = duration(args[1]); err == nil {
				args, v = args[1:], args[1]
			}
		} else if name == "--confirm" && given && err != nil {
			return c.fail("Error: %s is not a time", v)
		}
		short := map[string]string{"--rev": "-r", "--output": "-o", "--message": "-m", "--assume-yes": "-y", "--y": "-y"}
		if s, ok := short[name]; ok {
			name = s
		}
		c.set[name] = v
	}
	if len(c.words) == 3 && c.words[0] == "config" && (c.words[1] == "patch" || c.words[1] == "replace") {
		c.file, c.fileErr = p.ReadFile(c.words[2]) // before the lock is taken, since reading needs the lock
	}
	c.stopped = !n.m.Active("nvued.service")
	n.m.Do(func() { status = c.run() })
	if c.ask == "" {
		return status
	}
	p.Print(c.ask + "Are you sure? [y/N] ")
	answer, _ := p.ReadFile("-")
	c.answered, c.yes = len(answer) > 0, strings.HasPrefix(strings.ToLower(strings.TrimSpace(string(answer))), "y")
	n.m.Do(func() { status = c.run() })
	return status
}

// duration reads the time of --confirm; a number alone is minutes.
func duration(s string) (time.Duration, error) {
	if n, err := strconv.Atoi(s); err == nil && n > 0 && n < 100_000 {
		return time.Duration(n) * time.Minute, nil
	}
	d, err := time.ParseDuration(s)
	if err == nil && d <= 0 {
		err = errors.New("no time")
	}
	return d, err
}

func (c *call) fail(format string, args ...any) int {
	status := 1
	if c.StatusZero {
		status = 0
	}
	return c.p.Fail(status, format, args...)
}

func (c *call) say(format string, args ...any) int {
	c.p.Print(fmt.Sprintf(format+"\n", args...))
	return 0
}

// may reports whether the user is in a group that may run the command: nvapply includes nvset, and nvset includes nvshow.
func (c *call) may(group string) bool {
	order := []string{"nvshow", "nvset", "nvapply"}
	return c.p.Root || c.Groups == nil || slices.ContainsFunc(c.Groups[c.p.User], func(g string) bool {
		return slices.Index(order, g) >= slices.Index(order, group)
	})
}

// needs returns the group that a command needs.
func (c *call) needs() string {
	switch {
	case len(c.words) == 0 || c.words[0] == "show":
	case c.words[0] == "set" || c.words[0] == "unset":
		return "nvset"
	case len(c.words) > 1 && slices.Contains([]string{"apply", "save"}, c.words[1]):
		return "nvapply"
	case len(c.words) > 1 && slices.Contains([]string{"attach", "detach", "patch", "replace", "delete"}, c.words[1]):
		return "nvset"
	}
	return "nvshow"
}

func (c *call) run() int {
	switch {
	case c.Down || c.stopped:
		return c.fail("Error: Could not connect to nvued")
	case !c.may(c.needs()):
		return c.fail("Error: %s may not do that", c.p.User)
	case len(c.words) < 2:
		return c.fail("Invalid Command: nv %s", strings.Join(c.words, " "))
	}
	if c.Window != nil && c.m.Now() >= c.Window.Due {
		c.back()
	}
	switch c.words[0] {
	case "set", "unset":
		r := c.pending(true)
		if err := c.one(r, c.words); err != nil {
			return c.fail("%v", err)
		}
		return 0
	case "show":
		return c.show(c.words[1:])
	case "config":
		verbs := map[string]func(args []string) int{
			"show": c.configShow, "attach": c.attach, "detach": c.detach, "patch": c.load, "replace": c.load, "diff": c.diff,
			"apply": c.apply, "save": c.configSave, "delete": c.remove, "history": c.history, "revision": c.revisions,
		}
		if f := verbs[c.words[1]]; f != nil {
			return f(c.words[2:])
		}
	}
	return c.fail("Invalid Command: nv %s", strings.Join(c.words, " "))
}

// pending returns the revision that the user has attached; nil: none, unless it should be added.
func (c *call) pending(make bool) *revision {
	if r := c.byID(c.Attached[c.p.User]); r != nil {
		return r
	}
	if !make {
		return nil
	}
	r := c.add(c.p.User, c.Applied, c.byID(c.Applied).Tree.clone())
	c.Attached[c.p.User] = r.ID
	c.say("created [rev_id: %d]", r.ID)
	return r
}

// named finds a revision by its number or name.
func (c *call) named(name string) (*revision, bool) {
	switch name {
	case "", "applied":
		return c.byID(c.Applied), true
	case "startup":
		r := c.byID(c.Saved)
		return r, r != nil
	case "empty":
		return &revision{Tree: tree{}}, true
	case "pending":
		r := c.pending(false)
		return r, r != nil
	}
	id, err := strconv.Atoi(name)
	r := c.byID(id)
	return r, err == nil && r != nil
}

// one runs one nv set or nv unset.
func (n *NVUE) one(r *revision, words []string) error {
	t, err := schemaOf(n.release()).words(words[1:], words[0] == "unset")
	switch {
	case err != nil:
		return err
	case words[0] == "unset":
		r.Tree.unset(t)
	default:
		n.merge(r.Tree, t)
	}
	return nil
}

// lines runs a file of nv set and nv unset.
func (n *NVUE) lines(r *revision, text string) error {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) < 3 || words[0] != "nv" || words[1] != "set" && words[1] != "unset" {
			return complaint(fmt.Sprintf("Failed on line %q: Invalid Command", strings.TrimSpace(line)))
		}
		if err := n.one(r, words[1:]); err != nil {
			return complaint(fmt.Sprintf("Failed on line %q: %v", strings.TrimSpace(line), err))
		}
	}
	return nil
}

// merge merges trees; sets are joined or replaced.
func (n *NVUE) merge(t, src tree) {
	if n.SetsReplace {
		for feature, where := range map[string]tree{"pfc": src.sub("qos", "pfc"), "traffic-pool": src.sub("qos", "traffic-pool")} {
			for p := range where {
				if old := t.sub("qos", feature, p); old != nil && where.sub(p, "switch-priority") != nil {
					delete(old, "switch-priority")
				}
			}
		}
	}
	t.merge(src)
	if n.StoresEnabled && n.release() >= 15 {
		respell(t)
	}
}

// respell changes renamed leaves to their later form.
func respell(t tree) {
	for k, v := range t {
		if o, ok := v.(tree); ok {
			respell(o)
			if k == "pfc-watchdog" && (o["state"] == "enable" || o["state"] == "disable") {
				o["state"] = o.text("state") + "d"
			}
		} else if (k == "ecn" || k == "red") && (v == "enable" || v == "disable") {
			t[k] = fmt.Sprint(v) + "d"
		}
	}
}

func (c *call) configShow([]string) int {
	r, ok := c.named(c.set["-r"])
	if !ok {
		return c.fail("Error: Unknown revision '%s'", c.set["-r"])
	}
	t := r.Tree
	if _, all := c.set["--all"]; all {
		d := defaults(c.release())
		d.merge(t)
		t = d
	}
	if _, ok := c.set["--expand"]; ok {
		t = t.expand()
	}
	switch c.set["-o"] {
	case "commands":
		c.p.Print(strings.Join(append(commands("set", t, ""), ""), "\n"))
	case "json":
		c.p.Print(jsonText([]tree{{"header": header(c.NVUE)}, {"set": t}}))
	case "", "yaml":
		c.p.Print(yamlText([]doc{{"header", header(c.NVUE)}, {"set", t}}))
	default:
		return c.fail("Error: there is no output %s", c.set["-o"])
	}
	return 0
}

func (c *call) attach(args []string) int {
	if len(args) != 1 {
		return c.fail("Invalid Command: nv config attach")
	}
	r, ok := c.named(args[0])
	if !ok {
		return c.fail("Error: Unknown revision '%s'", args[0])
	}
	_, yes := c.set["-y"]
	if old := c.pending(false); old != nil && !yes && old != r {
		if !c.answered {
			c.ask = fmt.Sprintf("Revision %d is attached.\n", old.ID)
			return 1
		} else if !c.yes {
			return c.fail("Error: aborted")
		}
	}
	if !slices.Contains([]string{"pending", "invalid", "ays_fail"}, r.State) {
		r = c.add(c.p.User, c.Applied, r.Tree.clone())
	}
	c.Attached[c.p.User] = r.ID
	return c.say("attached [rev_id: %d]", r.ID)
}

func (c *call) detach([]string) int {
	if r := c.pending(false); r != nil {
		c.drop(r)
		return c.say("detached [rev_id: %d]", r.ID)
	}
	return 0
}

func (c *call) drop(r *revision) {
	c.Revisions = slices.DeleteFunc(c.Revisions, func(o *revision) bool { return o == r })
	for user, id := range c.Attached {
		if id == r.ID {
			delete(c.Attached, user)
		}
	}
}

func (c *call) remove(args []string) int {
	if len(args) != 1 {
		return c.fail("Invalid Command: nv config delete")
	}
	r, ok := c.named(args[0])
	switch {
	case !ok:
		return c.fail("Error: Unknown revision '%s'", args[0])
	case r.ID == 0 || r.ID == c.Applied || r.ID == c.Saved || c.Window != nil && (r.ID == c.Window.ID || r.ID == c.Window.Back):
		return c.fail("Error: revision %s is in use", args[0])
	}
	c.drop(r)
	return 0
}

// load simulates patch and replace.
func (c *call) load(args []string) int {
	if len(args) != 1 || c.fileErr != nil {
		return c.fail("Error: cannot read the file: %v", c.fileErr)
	}
	had := c.pending(false) != nil
	r := c.pending(true)
	was := r.Tree
	r.Tree = was.clone()
	if c.words[1] == "replace" {
		r.Tree = tree{}
	}
	err := c.loadInto(r)
	if err != nil {
		if r.Tree = was; !had {
			c.drop(r)
		}
		if _, ok := err.(complaint); ok {
			return c.fail("%v", err)
		}
		return c.fail("Error: %v", err)
	}
	r.State = "pending"
	return c.say("loaded [rev_id: %d]", r.ID)
}

func (c *call) loadInto(r *revision) error {
	text := strings.TrimSpace(string(c.file))
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			if strings.HasPrefix(line, "nv ") {
				return c.lines(r, text)
			}
			break
		}
	}
	docs, err := parse(c.file)
	if err != nil {
		return err
	}
	slices.SortStableFunc(docs, func(a, b doc) int { // one request: unsets come last
		return strings.Compare(strings.Replace(a.what, "unset", "z", 1), strings.Replace(b.what, "unset", "z", 1))
	})
	for _, d := range docs {
		switch d.what {
		case "set":
			c.merge(r.Tree, d.tree)
		case "unset":
			r.Tree.unset(d.tree)
		}
	}
	return nil
}

func (c *call) diff(args []string) int {
	from, to := "applied", "pending"
	if len(args) > 0 {
		from = args[0]
	}
	if len(args) > 1 {
		to = args[1]
	}
	a, ok := c.named(from)
	if !ok {
		return c.fail("Error: Unknown revision '%s'", from)
	}
	b, ok := c.named(to)
	if !ok && to != "pending" {
		return c.fail("Error: Unknown revision '%s'", to)
	} else if !ok {
		return 0
	}
	old, now := a.Tree, b.Tree
	if _, ok := c.set["--expand"]; ok {
		old, now = old.expand(), now.expand()
	}
	gone, come := old.without(now), now.minus(old)
	if c.set["-o"] == "commands" {
		c.p.Print(strings.Join(append(append(commands("unset", gone, ""), commands("set", come, "")...), ""), "\n"))
		return 0
	}
	var docs []doc
	if len(gone) > 0 {
		docs = append(docs, doc{"unset", gone})
	}
	if len(come) > 0 {
		docs = append(docs, doc{"set", come})
	}
	switch {
	case len(docs) == 0:
	case c.set["-o"] == "json":
		var list []tree
		for _, d := range docs {
			list = append(list, tree{d.what: d.tree})
		}
		c.p.Print(jsonText(list))
	default:
		c.p.Print(yamlText(docs))
	}
	return 0
}

func (c *call) configSave([]string) int {
	if c.Window != nil {
		return c.fail("Error: revision %d waits for its confirmation", c.Window.ID)
	}
	if err := c.m.Change("nv config save"); err != nil {
		return c.fail("Error: %v", err)
	}
	c.save()
	return c.say("saved [rev_id: %d]", c.Applied)
}

func (c *call) history(args []string) int {
	for i := len(c.Revisions) - 1; i >= 0; i-- {
		if r := c.Revisions[i]; len(args) == 0 || args[0] == strconv.Itoa(r.ID) {
			c.say("%d %s %s %s", r.ID, r.State, r.User, r.Message)
		}
	}
	return 0
}

// revisions simulates nv config revision.
func (c *call) revisions([]string) int {
	entry := func(r *revision) tree {
		issues := tree{}
		for i, is := range r.Issues {
			issues[strconv.Itoa(i)] = tree{
				"severity": "error", "code": "config_invalid", "message": is.String(), "data": tree{"location": is.At, "reason": is.Reason},
			}
		}
		parent := strconv.Itoa(r.Parent)
		if c.ParentByName {
			parent = "applied"
		}
		return tree{
			"state": r.State, "message": r.Message, "transition": tree{"issue": issues, "progress": ""},
			"additional-data": tree{"parent-revision-id": parent, "user": r.User},
		}
	}
	applied := entry(c.byID(c.Applied))
	if c.Applied == c.Saved {
		applied["state"] = "saved"
	}
	out := tree{"applied": applied}
	if _, only := c.set["--applied"]; !only {
		out["empty"], out["startup"] = tree{"state": "inactive"}, tree{"state": "inactive"}
		for _, r := range c.Revisions {
			out[strconv.Itoa(r.ID)] = entry(r)
		}
	}
	if c.set["-o"] == "json" {
		c.p.Print(jsonText(out))
		return 0
	}
	for _, k := range sorted(out) {
		c.say("%s %s", k, out.text(k, "state"))
	}
	return 0
}
