package steps

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/commands"
)

// mostStages is the largest size of stages, in bytes. Those for all ports of the largest switch have less than half.
const mostStages = 4 << 20

// Tables lists the tables that rocec's patches change.
var Tables = []string{
	"BUFFER_PG", "BUFFER_PROFILE", "BUFFER_QUEUE", "CABLE_LENGTH", "DOT1P_TO_TC_MAP", "DSCP_TO_TC_MAP", "MAP_PFC_PRIORITY_TO_QUEUE", "PFC_WD",
	"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "PORT_QOS_MAP", "QUEUE", "SCHEDULER", "TC_TO_PRIORITY_GROUP_MAP", "TC_TO_QUEUE_MAP", "WRED_PROFILE",
}

// A row has a key and an object of texts. The script of a patch puts both into JSON as they are, and the key into a JSON pointer, so that
// neither may have a quote, a backslash, "/" in a key, or "~". The script also compares keys, and separates fields by tabs.
const (
	aKey    = `[A-Za-z0-9][A-Za-z0-9_.,-]{0,127}(?:\|[0-9]{1,2}(?:-[0-9]{1,2})?)?`
	aMember = `"([A-Za-z0-9][A-Za-z0-9_-]{0,63})": "[A-Za-z0-9_.,:|/\[\]+-]*"`
)

const (
	rowForm    = `\A([A-Z0-9_]+)\t(` + aKey + `)\t(-|\{.*\})\z`
	memberForm = `\A` + aMember + `\z`
)

// Check returns nil for stages that rocec could have made between two configurations with the SHA-256 base and goal: two lines with both,
// and lines of stages, first all that change and then all that go back. A stage has rows of [Tables], in the order of the tables, and lines
// of a script of rocec's. The stages come from outside, so any other line is an error.
func Check(base, goal string, stages []byte) error {
	if len(stages) > mostStages {
		return commands.Refusal("the stages are larger than 4 MiB")
	}
	rest, ok := strings.CutPrefix(string(stages), base+"\n"+goal+"\n")
	if !ok {
		return commands.Refusal("the stages were not made for the configurations of their name")
	}
	c := checker{row: regexp.MustCompile(rowForm), member: regexp.MustCompile(memberForm), scripts: newScriptForms()}
	for n := 3; rest != ""; n++ {
		line, more, ended := strings.Cut(rest, "\n")
		if !ended {
			return fmt.Errorf("line %d of the stages has no end", n)
		}
		if err := c.line(line); err != nil {
			return fmt.Errorf("line %d of the stages: %w", n, err)
		}
		rest = more
	}
	return c.end()
}

// checker reads stages line by line.
type checker struct {
	row, member *regexp.Regexp
	scripts     *scriptForms
	begun, back bool
	table       string          // of the last row
	rows        map[string]bool // of the stage, by table and key
	script      strings.Builder
}

const otherForm = commands.Refusal("it is not in the form that rocec writes")

func (c *checker) line(line string) error {
	switch {
	case line == stageForth && !c.back, line == stageBack:
		err := c.end()
		c.begun, c.back, c.table, c.rows = true, line == stageBack, "", map[string]bool{}
		c.script.Reset()
		return err
	case !c.begun:
		return otherForm
	}
	if row, ok := strings.CutPrefix(line, ofRow); ok {
		return c.checkRow(row)
	}
	if text, ok := strings.CutPrefix(line, ofScript); ok {
		c.script.WriteString(text + "\n")
		return nil
	}
	return otherForm
}

// checkRow checks a row. Rows of a table are adjacent, and come before the script.
func (c *checker) checkRow(row string) error {
	m := c.row.FindStringSubmatch(row)
	switch {
	case m == nil:
		return otherForm
	case !slices.Contains(Tables, m[1]):
		return commands.Refusal("rocec changes no such table")
	case m[1] < c.table || c.rows[m[1]+"|"+m[2]] || c.script.Len() > 0:
		return commands.Refusal("it is not in rocec's order")
	case m[3] != "-" && !c.isObject(m[3]):
		return otherForm
	}
	c.table, c.rows[m[1]+"|"+m[2]] = m[1], true
	return nil
}

// isObject reports whether a text is a JSON object of texts, each name once, as rocec writes it.
func (c *checker) isObject(text string) bool {
	inner := text[1 : len(text)-1]
	if inner == "" {
		return true
	}
	names := map[string]bool{}
	for member := range strings.SplitSeq(inner, `, "`) {
		if len(names) > 0 {
			member = `"` + member
		}
		m := c.member.FindStringSubmatch(member)
		if m == nil || names[m[1]] {
			return false
		}
		names[m[1]] = true
	}
	return true
}

// end checks the end of a stage.
func (c *checker) end() error {
	if c.script.Len() == 0 {
		return nil
	}
	return c.scripts.check(c.script.String())
}
