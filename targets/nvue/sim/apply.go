package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// exists returns a function that reports which ports exist under the applied configuration.
func (c *call) exists(port string) bool {
	applied := effective(c.byID(c.Applied).Tree, c.release())
	for _, p := range c.Ports {
		split := applied.sub("interface", p.Name, "link", "breakout")
		if len(split) == 0 && p.Name == port {
			return true
		}
		for mode := range split {
			parts, _ := strconv.Atoi(strings.TrimSuffix(mode, "x"))
			for i := range min(parts, 8) {
				if port == fmt.Sprintf("%ss%d", p.Name, i) {
					return true
				}
			}
		}
	}
	return false
}

// question returns the question that an apply must ask; empty: none.
func (c *call) question(t tree) string {
	var b strings.Builder
	for _, path := range c.edited(t) {
		fmt.Fprintf(&b, "Warning: %s was edited and will be overwritten\n", path)
	}
	before, after := effective(c.byID(c.Applied).Tree, c.release()), effective(t, c.release())
	key, _, _ := spell(c.release())
	if c.release() <= 12 && before.text("router", "adaptive-routing", key) != after.text("router", "adaptive-routing", key) {
		b.WriteString("Warning: switchd will be restarted\n")
	}
	return b.String()
}

func (c *call) apply(args []string) int {
	for _, verb := range []string{"--confirm-yes", "--confirm-no", "--confirm-status"} {
		if _, ok := c.set[verb]; ok {
			return c.confirm(verb, args)
		}
	}
	name := "pending"
	if len(args) > 0 {
		name = args[0]
	}
	r, ok := c.named(name)
	switch {
	case !ok && name == "pending":
		return c.fail("Error: there is no pending revision")
	case !ok:
		return c.fail("Error: Unknown revision '%s'", name)
	case c.Window != nil:
		return c.fail("Error: revision %d waits for its confirmation", c.Window.ID)
	}
	if r.Issues = schemaOf(c.release()).check(r.Tree, ""); len(r.Issues) == 0 {
		r.Issues = judge(r.Tree, c.release(), c.exists)
	}
	if len(r.Issues) > 0 {
		r.State = "invalid"
		lines := []string{fmt.Sprintf("Invalid config [rev_id: %d]", r.ID)}
		for _, i := range r.Issues {
			lines = append(lines, i.String())
		}
		return c.fail("%s", strings.Join(lines, "\n  "))
	}
	_, yes := c.set["-y"]
	_, no := c.set["--assume-no"]
	if q := c.question(r.Tree); q != "" && !yes {
		switch {
		case !no && c.ask == "":
			c.ask = q
			return 1
		case no:
			r.State = "ays_fail"
			return c.fail("%sError: aborted", q)
		case c.answered && !c.yes:
			r.State = "ays_fail"
			return c.fail("Error: aborted")
		case !c.answered:
			r.State = "ays_fail"
			return c.fail("Error: Timeout while waiting for client response")
		}
	}
	if err := c.m.Change("nv config apply"); err != nil {
		return c.fail("Error: %v", err)
	}
	r.Message, r.State = c.set["-m"], "apply"
	if c.Faults.Crash {
		c.Down, c.Faults.Crash = true, false
		return c.fail("Error: Could not connect to nvued")
	}
	if c.Faults.Halfway {
		c.Faults.Halfway = false
		c.Torn, c.Chip = c.Chip, r.Tree
		return c.fail("Error: apply failed [rev_id: %d]", r.ID)
	}
	if r.ID == 0 { // "empty" gets a number when it is applied
		r = c.add(c.p.User, c.Applied, r.Tree)
	}
	back := c.Applied
	for user, id := range c.Attached {
		if id == r.ID {
			delete(c.Attached, user)
		}
	}
	c.use(r)
	text, confirm := c.set["--confirm"]
	if c.autoSave(r.Tree) && (!confirm || c.SaveUnconfirmed) {
		c.save()
	}
	if confirm {
		d, err := duration(text)
		if err != nil {
			d = 10 * time.Minute
		}
		r.State = "confirm"
		c.open(r, back, d)
	}
	return c.say("applied [rev_id: %d]", r.ID)
}

// confirm confirms, undoes, or reports the waiting revision.
func (c *call) confirm(verb string, args []string) int {
	w := c.Window
	if w == nil || len(args) > 0 && args[0] != strconv.Itoa(w.ID) {
		return c.fail("Error: no revision waits for its confirmation")
	}
	switch verb {
	case "--confirm-status":
		return c.say("%s left [rev_id: %d]", (w.Due - c.m.Now()).Round(time.Second), w.ID)
	case "--confirm-no":
		c.back()
		return c.say("applied [rev_id: %d]", c.Applied)
	}
	c.Window = nil
	r := c.byID(w.ID)
	if r.State = "applied"; c.autoSave(r.Tree) {
		c.save()
	}
	return c.say("confirmed [rev_id: %d]", r.ID)
}
