package snapshot

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var keptOfTest = Kept{"qos", "interface.*.link", "system.hostname"}

func pathOfTest(keys []string) []string {
	if keys[0] == "set" {
		return keys[1:]
	}
	return keys
}

// A kept value stays at its line and column. Any other value is replaced by an empty one.
func TestKeptJSON(t *testing.T) {
	for _, c := range []struct {
		in, out string
		count   int
	}{
		{`{"qos": {"a": 1}, "aaa": {"user": {"bob": "x"}}}`, `{"qos": {"a": 1}, "aaa": {}                       }`, 1},
		{`{"aaa": []}`, `{"aaa": []}`, 0},
		{`{"aaa": [1, "b"]}`, `{"aaa": []       }`, 1},
		{
			`{"aaa": "se\"cret", "b": 12.5e3, "c": true, "d": null, "e": ""}`,
			`{"aaa": ""         , "b": 0     , "c": true, "d": null, "e": ""}`, 2,
		},
		{
			"[{\"set\": {\"system\": {\"hostname\": \"l1\",\n\"aaa\": {\"x\":\n1}}}}]",
			"[{\"set\": {\"system\": {\"hostname\": \"l1\",\n\"aaa\": {     \n }}}}]", 1,
		},
		{
			`{"interface": {"swp1": {"link": {"mtu": 9216}, "description": "to bob"}}}`,
			`{"interface": {"swp1": {"link": {"mtu": 9216}, "description": ""      }}}`, 1,
		},
		{`{"qos": {"password": "x1", "a": {"auth-key": 7}}}`, `{"qos": {"password": ""  , "a": {"auth-key": 0}}}`, 2},
		{"admin@s:~$ show\n{\"qos\": 1}\nadmin@s:~$ ", "               \n{\"qos\": 1}\n            ", 0},
		{`{"system": "text"}`, `{"system": ""    }`, 1},
	} {
		out, count, err := keptOfTest.JSON([]byte(c.in), pathOfTest)
		require.NoError(t, err, c.in)
		require.Equal(t, squeezed(c.out), squeezed(string(out)), c.in)
		require.Len(t, out, len(c.in))
		require.Equal(t, c.count, count, c.in)
	}
	for _, bad := range []string{"", "x", `{"qos": `, `{"qos": 1`, `{"qos" 1}`, strings.Repeat("[", 1000), strings.Repeat(`{"a":`, 1000)} {
		_, _, err := keptOfTest.JSON([]byte(bad), pathOfTest)
		require.ErrorIs(t, err, errNotRead, bad[:min(len(bad), 10)])
	}
}

// squeezed returns a text without blanks at the ends of values.
func squeezed(text string) string {
	return regexp.MustCompile(`(?m)[ ]+([\]},\n]|$)`).ReplaceAllString(text, "$1")
}

// Lines of YAML stay where they are, and parts that are not kept leave their key.
func TestKeptYAML(t *testing.T) {
	in := `- header:
    version: 5.9.1
- set:
    # by bob
    interface:
      swp1-4:
        link:
          mtu: 9216
        description: 'to bob: rack 7'
        ip:
          address:
            10.0.0.1/31: {}
      'swp5':
        type: swp
    qos:
      roce:
        mode: lossless
      auth-key: x
      list:
      - a
      - b
    system:
      hostname: leaf01
      aaa:
        user:
          bob:
            hashed-password: $6$x

          "al:ice": {password: y, a: b}
    vrf: {default: {}}
    text: |
      secret
        more
    qos2:
    - secret
`
	out := `- header: {}

- set:

    interface:
      swp1-4:
        link:
          mtu: 9216
        description: ''
        ip: {}


      'swp5':
        type: ''
    qos:
      roce:
        mode: lossless
      auth-key: ''
      list:
      - a
      - b
    system:
      hostname: leaf01
      aaa: {}





    vrf: {}
    text: ''


    qos2: {}

`
	got, count, err := keptOfTest.YAML([]byte(in), pathOfTest)
	require.NoError(t, err)
	require.Equal(t, out, string(got))
	require.Equal(t, 9, count)
	require.Equal(t, strings.Count(in, "\n"), strings.Count(string(got), "\n"))
	for _, bad := range []string{"a:\n\tb: 1\n", "interface:\n  - swp1\n", "just words\n", "? a\n: b\n"} {
		_, _, err := keptOfTest.YAML([]byte(bad), pathOfTest)
		require.ErrorIs(t, err, errNotRead, bad)
	}
}

func TestKeptLines(t *testing.T) {
	out, count := Lines([]byte("a 1\r\nb 2\n\na 3"), func(line string) bool { return line[0] == 'a' })
	require.Equal(t, "a 1\r\n\n\na 3", string(out))
	require.Equal(t, 1, count)
}

// For any JSON, only kept values remain, they are unchanged, and no byte moves.
func TestKeptLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SampledFrom([]string{"qos", "interface", "link", "system", "hostname", "aaa", "password", "swp1", `a"b`})
		var value func(deep int) any
		value = func(deep int) any {
			switch k := rapid.IntRange(0, 5).Draw(t, "kind"); {
			case k == 0:
				return rapid.SampledFrom([]string{"KEEP-OR-NOT", "", `q"\q`, "ü"}).Draw(t, "text")
			case k == 1:
				return rapid.Float64Range(-1e6, 1e6).Draw(t, "number")
			case k == 2 || deep > 5:
				return rapid.Bool().Draw(t, "truth")
			case k == 3:
				out := []any{}
				for range rapid.IntRange(0, 3).Draw(t, "items") {
					out = append(out, value(deep+1))
				}
				return out
			}
			out := map[string]any{}
			for range rapid.IntRange(0, 4).Draw(t, "members") {
				out[key.Draw(t, "key")] = value(deep + 1)
			}
			return out
		}
		doc := map[string]any{key.Draw(t, "top"): value(0)}
		in, err := json.MarshalIndent(doc, "", rapid.SampledFrom([]string{"", "  "}).Draw(t, "indent"))
		require.NoError(t, err)
		out, _, err := keptOfTest.JSON(in, pathOfTest)
		require.NoError(t, err)
		require.Len(t, out, len(in))
		require.Equal(t, bytes.Count(in, []byte("\n")), bytes.Count(out, []byte("\n")))
		var back map[string]any
		require.NoError(t, json.Unmarshal(out, &back))
		require.Equal(t, pruned(nil, doc, below), back)
	})
}

// pruned computes the kept values independently.
func pruned(path []string, v any, is verdict) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, one := range v {
			under, next := append(path[:len(path):len(path)], key), is
			if is == dropped {
				continue
			}
			if p := pathOfTest(under); len(p) == 0 {
				next = below
			} else {
				next = keptOfTest.of(p)
			}
			out[key] = pruned(under, one, next)
		}
		return out
	case []any:
		out := []any{}
		for _, one := range v {
			if is != dropped {
				out = append(out, pruned(path, one, is))
			}
		}
		return out
	case string:
		if is != whole {
			return ""
		}
	case float64:
		if is != whole {
			return float64(0)
		}
	}
	return v
}

func FuzzKept(f *testing.F) {
	f.Add([]byte(`{"qos": {"password": "x"}}`))
	f.Add([]byte("set:\n  qos:\n    a: 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, keep := range []func([]byte, func([]string) []string) ([]byte, int, error){keptOfTest.JSON, keptOfTest.YAML} {
			if out, _, err := keep(data, pathOfTest); err == nil {
				require.Equal(t, bytes.Count(data, []byte("\n")), bytes.Count(out, []byte("\n")))
			}
		}
	})
}
