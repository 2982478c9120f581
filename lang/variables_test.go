package lang

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// valueOf loads a fabric with a variable v, and returns its value as JSON, or the message about a mistake.
func valueOf(t *testing.T, block string, o Options) string {
	t.Helper()
	l := newLoader(fstest.MapFS{"fabric.hcl": {Data: []byte("fabric \"f\" {}\nvariable \"v\" {\n" + block + "\n}\n")}}, ".", o)
	top, ds := l.load()
	if len(ds) > 0 {
		d := ds[0]
		return fmt.Sprintf("%s %q: %s", d.Code, place(l.src, d.At), d.Detail)
	}
	v := top.Vars["v"]
	require.True(t, v.OK)
	js, err := ctyjson.Marshal(v.Value, v.Value.Type())
	require.NoError(t, err)
	return string(js)
}

func TestVariableTypes(t *testing.T) {
	for _, c := range []struct{ ty, given, want string }{
		{"number", "4", "4"},
		{"number", "4.5", "4.5"},
		{"string", "4", `"4"`},
		{"string", "", `""`},
		{"string", "a=b", `"a=b"`},
		{"bool", "true", "true"},
		{"bool", "1", "true"},
		{"bool", "yes", `bad-variable "yes": The variable "v" is declared as bool, and this does not fit: expected true or false, not the string "yes". Correct the value, which comes from --var, or the type.`},
		{"any", "4", `"4"`},
		{"list(string)", `["a", 1]`, `["a","1"]`},
		{"list(string)", `[]`, `[]`},
		{"list(any)", `[1, 2]`, `[1,2]`},
		{"set(string)", `["b", "a", "b"]`, `["a","b"]`},
		{"set(number)", `[2, 1]`, `[1,2]`},
		{"map(number)", `{ b = 1, a = "2" }`, `{"a":2,"b":1}`},
		{"map(any)", `{}`, `{}`},
		{"tuple([string, number])", `[1, "2"]`, `["1",2]`},
		{"tuple([])", `[]`, `[]`},
		{"object({ a = number, b = string })", `{ a = "1", b = 2 }`, `{"a":1,"b":"2"}`},
		{"object({ a = optional(number) })", `{}`, `{"a":null}`},
		{"object({ a = optional(number, 9216) })", `{}`, `{"a":9216}`},
		{"object({ a = optional(number, 9216) })", `{ a = null }`, `{"a":9216}`},
		{"object({ a = optional(object({ b = optional(list(number), [1]) }), {}) })", `{}`, `{"a":{"b":[1]}}`},
		{"map(object({ a = optional(string, \"x\") }))", `{ k = {}, l = { a = "y" } }`, `{"k":{"a":"x"},"l":{"a":"y"}}`},
		{
			"list(object({ a = list(number) }))", `[{ a = [1, "x"] }]`,
			`bad-variable "\"x\"": The variable "v" is declared as list(object({a=list(number)})), and this does not fit: expected a number, not the string "x". Correct the value, which comes from --var, or the type.`,
		},
		{"list(string)", `null`, `null`},
		{"set(string)", `["a", null]`, `["a",null]`},
	} {
		assert.Equal(t, c.want, valueOf(t, "type = "+c.ty, Options{Vars: []string{"v=" + c.given}}), "%s: %s", c.ty, c.given)
	}
}

// TestVariableSources sets one variable in all sources. The value of the strongest source counts, and a mistake names that source.
func TestVariableSources(t *testing.T) {
	const block = "type = number\ndefault = 1"
	file := func(name, text string) VarFile { return VarFile{name, []byte(text)} }
	env := []string{"HOME=/root", "ROCEC_VAR_v=2", "ROCEC_VAR_other=9", "ROCEC_VAR_w=x", "ROCEC_VAR_="}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "1"},
		{Options{Env: env}, "2"},
		{Options{Env: append(env, "ROCEC_VAR_v=3")}, "3"},
		{Options{Env: env, VarFiles: []VarFile{file("a.hclvars", "v = 4")}}, "4"},
		{Options{Env: env, VarFiles: []VarFile{file("a.hclvars", "v = 4"), file("b.hclvars", "v = 2 + 3")}}, "5"},
		{Options{Env: env, VarFiles: []VarFile{file("a.hclvars", "v = 4")}, Vars: []string{"v=6"}}, "6"},
		{Options{Env: env, VarFiles: []VarFile{file("a.hclvars", "v = 4")}, Vars: []string{"v=6", "v=7"}}, "7"},
		{Options{Env: []string{"ROCEC_VAR_v=x"}, Vars: []string{"v=7"}}, "7"},
		{Options{VarFiles: []VarFile{file("a.hclvars", "v = null")}}, "null"},
		{Options{Env: []string{"ROCEC_VAR_v=x"}}, `bad-variable "x": The variable "v" is declared as number, and this does not fit: expected a number, not the string "x". Correct the value, which comes from the environment (ROCEC_VAR_v), or the type.`},
		{
			Options{VarFiles: []VarFile{file("a.hclvars", "v = []")}},
			`bad-variable "[]": The variable "v" is declared as number, and this does not fit: expected a number, not a list. Correct the value, which comes from a.hclvars, or the type.`,
		},
		{Options{Vars: []string{"v=x"}}, `bad-variable "x": The variable "v" is declared as number, and this does not fit: expected a number, not the string "x". Correct the value, which comes from --var, or the type.`},
	} {
		assert.Equal(t, c.want, valueOf(t, block, c.o))
	}
}

func TestVariableNull(t *testing.T) {
	null := Options{VarFiles: []VarFile{{"a.hclvars", []byte("v = null")}}}
	assert.Equal(t, "null", valueOf(t, "default = null", Options{}))
	assert.Equal(t, "null", valueOf(t, "type = number\ndefault = 1\nnullable = true", null))
	assert.Equal(t, "1", valueOf(t, "type = number\ndefault = 1\nnullable = false", null))
	assert.Contains(t, valueOf(t, "type = number\nnullable = false", null), "unset-variable")
	assert.Contains(t, valueOf(t, "type = number\nnullable = false\ndefault = null", Options{}), "Delete one of the two")
	assert.Equal(t, `"x"`, valueOf(t, "default = \"x\"\nsensitive = false", Options{}))

	// A module block can set a variable to null on purpose. An attribute with that value counts as not written.
	s, ds := Load(files(map[string]string{
		"fabric.hcl": "fabric \"f\" { mtu = module.m.mtu }\nmodule \"m\" {\n  source = \"./pod\"\n  mtu = null\n  leaves = null\n}\n",
		"pod/pod.hcl": "variable \"mtu\" { default = 9000 }\nvariable \"leaves\" {\n  default = 2\n  nullable = false\n}\noutput \"mtu\" { " +
			"value = var.mtu }\nhost \"h\" { names = \"h[1-${var.leaves}]\" }\n",
	}), ".", Options{})
	require.Empty(t, show(s, ds))
	assert.False(t, s.Fabric.MTU.Set())
	assert.Len(t, s.Hosts, 2)
}
