// Package reporttest checks documents against the published schemas of docs/schema, for tests.
package reporttest

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// Closed compiles a schema, or the part that a JSON pointer names, and makes it refuse unknown members. A published schema accepts them:
// members are added, and readers must not break.
func Closed(t testing.TB, schema []byte, pointer string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	require.NoError(t, err)
	closeObjects(doc)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("schema.json", doc))
	compiled, err := c.Compile("schema.json#" + pointer)
	require.NoError(t, err)
	return compiled
}

func closeObjects(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		if _, ok := s["properties"]; ok {
			s["additionalProperties"] = false
		}
		for _, v := range s {
			closeObjects(v)
		}
	case []any:
		for _, v := range s {
			closeObjects(v)
		}
	}
}
