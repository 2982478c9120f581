package mlx5

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
)

// parameterLine returns the line of docs/hosts.md about a parameter.
func parameterLine(p *ir.NICParameter) string {
	if p.By != "" {
		return fmt.Sprintf("| `%s` | | | set by %s |\n", p.Name, p.By)
	}
	factory := "not known"
	if p.Factory != anyFactory {
		factory = p.Text(p.Factory)
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s |\n", p.Name, p.Range(), factory, p.Does)
}

// TestParameterPage compares the tables of docs/hosts.md with the tables of the driver, line by line and in order.
func TestParameterPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/hosts.md")
	require.NoError(t, err)
	for _, table := range [][]*ir.NICParameter{dcqcn(), storedAlone()} {
		var want strings.Builder
		for _, p := range table {
			want.WriteString(parameterLine(p))
		}
		assert.Contains(t, string(page), want.String(), "docs/hosts.md needs the table:\n%s", &want)
	}
	assert.Contains(t, string(page), parameterLine(stall))
}

// TestParameterTable checks every entry: the value of the firmware can be written again, and a range has a source.
func TestParameterTable(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range append(append([]*ir.NICParameter{stall}, parameters().DCQCN...), parameters().NVRAM...) {
		assert.False(t, seen[p.Name], p.Name)
		seen[p.Name] = true
		if p.By != "" {
			continue
		}
		assert.NotEmpty(t, p.Source, p.Name)
		assert.NotEmpty(t, p.Does, p.Name)
		assert.True(t, p.Least <= p.Most || len(p.Words) > 0, p.Name)
		if p.Factory != anyFactory {
			n, ok := p.Read(p.Text(p.Factory))
			assert.True(t, ok && n == p.Factory, p.Name)
		}
		for _, w := range p.Words {
			n, ok := p.Read(strings.ToLower(w.Name))
			assert.True(t, ok && n == w.Value, "%s %s", p.Name, w.Name)
		}
		_, ok := p.Read(fmt.Sprint(p.Most + 1))
		assert.Equal(t, p.Text(p.Most+1) != fmt.Sprint(p.Most+1), ok, "%s accepts a number above its range", p.Name)
		_, ok = p.Read("-1")
		assert.False(t, ok, p.Name)
	}
}
