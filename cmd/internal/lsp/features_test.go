package lsp

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const everything = `{"textDocument": {"completion": {"completionItem": {"snippetSupport": true}}, "documentSymbol": {"hierarchicalDocumentSymbolSupport": true}},
	"workspace": {"workspaceEdit": {"documentChanges": true}}}`

func TestCompletion(t *testing.T) {
	c, _ := begin(t, map[string]string{"/f/b.hcl": "cos_group \"é𝄞rdma\" {}\n"}, everything)
	text, params := at(uriA, "# 𝄞\nroce \"x\" {\n  /* 𝄞 */ cos_group = cos_group.é|\n")
	c.open(uriA, text)
	list := decode[completionList](t, c.call("textDocument/completion", params))
	require.Len(t, list.Items, 1)
	assert.Equal(t, "é𝄞rdma", list.Items[0].Label)
	assert.Equal(t, textEdit{textRange{position{2, 33}, position{2, 34}}, "é𝄞rdma"}, list.Items[0].TextEdit)
	assert.Equal(t, 1, list.Items[0].InsertTextFormat)

	text, params = at(uriA, "swi|")
	c.change(uriA, 2, text)
	list = decode[completionList](t, c.call("textDocument/completion", params))
	require.Equal(t, "switch", list.Items[0].Label)
	assert.Equal(t, "switch \"$1\" {\n  $0\n}", list.Items[0].TextEdit.NewText)
	assert.Equal(t, 2, list.Items[0].InsertTextFormat)
	assert.NotEmpty(t, list.Items[0].Documentation.Value)

	text, params = at(uriA, "fabric \"x\" { routing = \"|\" }")
	c.change(uriA, 3, text)
	list = decode[completionList](t, c.call("textDocument/completion", params))
	assert.Equal(t, "up-down", list.Items[0].Label)

	text, params = at(uriA, "switch \"x\" { model = | }") // the completion includes the quotes
	c.change(uriA, 4, text)
	list = decode[completionList](t, c.call("textDocument/completion", params))
	assert.Equal(t, "\"sn2700\"", list.Items[0].TextEdit.NewText)

	plain, _ := begin(t, nil, "{}")
	text, params = at(uriA, "swi|")
	plain.open(uriA, text)
	list = decode[completionList](t, plain.call("textDocument/completion", params))
	assert.Equal(t, "switch \"\" {\n  \n}", list.Items[0].TextEdit.NewText)
	assert.Equal(t, 1, list.Items[0].InsertTextFormat)
}

func TestHover(t *testing.T) {
	c, _ := begin(t, nil, "{}")
	text, params := at(uriA, "fabric \"f\" {}\nswitch \"leaf\" {\n  mod|el = \"x\"\n}\n")
	c.open(uriA, text)
	h := decode[hover](t, c.call("textDocument/hover", params))
	assert.Contains(t, h.Contents.Value, "`model` (string, required)")
	assert.NotContains(t, h.Contents.Value, "**model**", "nothing was compiled yet")
	assert.Equal(t, textRange{position{2, 2}, position{2, 7}}, h.Range)
	c.tick()
	c.published()
	h = decode[hover](t, c.call("textDocument/hover", params))
	assert.Contains(t, h.Contents.Value, "**model**")
	// The server uses the last compiled fabric while the text is broken.
	c.change(uriA, 2, text+"switch {")
	c.tick()
	c.published()
	h = decode[hover](t, c.call("textDocument/hover", params))
	assert.Contains(t, h.Contents.Value, "**model**")

	_, params = at(uriA, "|")
	params["position"] = position{3, 0}
	assert.Equal(t, "null", string(c.call("textDocument/hover", params)))
}

// A hover over a finding explains its code, too.
func TestHoverOfFinding(t *testing.T) {
	c, _ := begin(t, nil, "{}")
	text, params := at(uriA, "fabric \"f\" {\n  no|pe = 1\n}\nfabric {}\n")
	c.open(uriA, text)
	assert.NotContains(t, string(c.call("textDocument/hover", params)), "about", "nothing was judged yet")
	c.tick()
	require.Equal(t, "/f/a.hcl@1; 1:2-1:6 1 unknown-attribute; 3:0-3:6 1 bad-label", c.published())
	h := decode[hover](t, c.call("textDocument/hover", params))
	assert.Equal(t, "about unknown-attribute\n\n---\n\n**nope**", h.Contents.Value)
	assert.Equal(t, textRange{position{1, 2}, position{1, 6}}, h.Range)
	params["position"] = position{3, 2}
	assert.NotContains(t, string(c.call("textDocument/hover", params)), "about", "a code without a page")
}

func TestDefinitionAndReferences(t *testing.T) {
	c, _ := begin(t, map[string]string{
		"/f/b c.hcl":     good + "/* 𝄞 */ cos_group \"rdma\" {}\nlocals { x = cos_group.rdma }\n",
		"/f/pod/pod.hcl": "output \"hosts\" { value = 1 }\n",
	}, "{}")
	text, params := at(uriA, "locals { y = cos_group.rd|ma }\nmodule \"pod\" { source = \"./pod\" }\n")
	c.open(uriA, text)
	decl := location{"file:///f/b%20c.hcl", textRange{position{1, 20}, position{1, 24}}}
	assert.Equal(t, []location{decl}, decode[[]location](t, c.call("textDocument/definition", params)))
	used := []location{
		{uriA, textRange{position{0, 23}, position{0, 27}}},
		{"file:///f/b%20c.hcl", textRange{position{2, 23}, position{2, 27}}},
	}
	assert.Equal(t, used, decode[[]location](t, c.call("textDocument/references", params)))
	params["context"] = map[string]any{"includeDeclaration": true}
	assert.Equal(t, []location{used[0], decl, used[1]}, decode[[]location](t, c.call("textDocument/references", params)))

	text, params = at(uriA, "locals { y = module.pod.ho|sts }\nmodule \"pod\" { source = \"./pod\" }\n")
	c.change(uriA, 2, text)
	assert.Equal(t, []location{{"file:///f/pod/pod.hcl", textRange{position{0, 8}, position{0, 13}}}},
		decode[[]location](t, c.call("textDocument/definition", params)))
	params["position"] = position{0, 0}
	assert.JSONEq(t, "[]", string(c.call("textDocument/definition", params)))
}

func TestDocumentSymbol(t *testing.T) {
	text := "cos_group \"a\" {\n  cos = 1\n}\n"
	params := map[string]any{"textDocument": map[string]any{"uri": uriA}}
	c, _ := begin(t, nil, everything)
	c.open(uriA, text)
	tree := decode[[]documentSymbol](t, c.call("textDocument/documentSymbol", params))
	require.Len(t, tree, 1)
	assert.Equal(t, "cos_group a", tree[0].Name)
	assert.Equal(t, textRange{position{0, 0}, position{2, 1}}, tree[0].Range)
	assert.Equal(t, textRange{position{0, 11}, position{0, 12}}, tree[0].SelectionRange)
	require.Len(t, tree[0].Children, 1)
	assert.Equal(t, "cos", tree[0].Children[0].Name)
	assert.Equal(t, "1", tree[0].Children[0].Detail)

	c, _ = begin(t, nil, "{}")
	c.open(uriA, text)
	flat := decode[[]symbolInformation](t, c.call("textDocument/documentSymbol", params))
	require.Len(t, flat, 2)
	assert.Equal(t, "cos_group a", flat[1].ContainerName)
}

func TestFormatting(t *testing.T) {
	c, _ := begin(t, nil, "{}")
	params := map[string]any{"textDocument": map[string]any{"uri": uriA}, "options": map[string]any{"tabSize": 8, "insertSpaces": false}}
	text := "cos_group \"é\" {\n  cos=1\n  lossless   =   true\n}\n"
	c.open(uriA, text)
	edits := decode[[]textEdit](t, c.call("textDocument/formatting", params))
	assert.Equal(t, "cos_group \"é\" {\n  cos      = 1\n  lossless = true\n}\n", apply(text, edits))
	assert.Len(t, edits, 2, "the lines that differ")
	c.change(uriA, 2, apply(text, edits))
	assert.JSONEq(t, "[]", string(c.call("textDocument/formatting", params)))
	c.change(uriA, 3, "cos_group {\n  cos = \n}\n")
	r := c.ask("textDocument/formatting", params)
	require.NotNil(t, r.Error)
	assert.Equal(t, requestFailed, r.Error.Code)
	assert.Contains(t, r.Error.Message, "line 2")
}

func TestCodeAction(t *testing.T) {
	text := good + "switch \"leaf\" {\n  model = \"x\"\n  tier  = 7\n}\n"
	params := map[string]any{
		"textDocument": map[string]any{"uri": uriA}, "context": map[string]any{"diagnostics": []any{}},
		"range": textRange{position{3, 0}, position{3, 11}},
	}
	c, _ := begin(t, nil, everything)
	c.open(uriA, text)
	assert.JSONEq(t, "[]", string(c.call("textDocument/codeAction", params)), "nothing was judged yet")
	c.tick()
	c.published()
	actions := decode[[]codeAction](t, c.call("textDocument/codeAction", params))
	require.Len(t, actions, 2)
	fix := actions[0]
	assert.Equal(t, "Write 8", fix.Title)
	assert.Equal(t, "quickfix", fix.Kind)
	assert.True(t, fix.IsPreferred)
	assert.Equal(t, "seven", fix.Diagnostics[0].Code)
	one := 1
	assert.Equal(t, []documentEdit{{versionedID{uriA, &one}, []textEdit{{textRange{position{3, 10}, position{3, 11}}, "8"}}}},
		fix.Edit.DocumentChanges)
	ignore := actions[1]
	assert.False(t, ignore.IsPreferred)
	assert.Equal(t, []textEdit{{textRange{position{3, 2}, position{3, 2}}, "# rocec:ignore seven \n  "}}, ignore.Edit.DocumentChanges[0].Edits)

	params["context"] = map[string]any{"diagnostics": []any{}, "only": []string{"source.organizeImports"}}
	assert.JSONEq(t, "[]", string(c.call("textDocument/codeAction", params)))
	delete(params, "context")
	params["range"] = textRange{position{0, 0}, position{2, 5}}
	assert.JSONEq(t, "[]", string(c.call("textDocument/codeAction", params)))
	params["range"] = textRange{position{3, 10}, position{3, 10}}
	assert.Len(t, decode[[]json.RawMessage](t, c.call("textDocument/codeAction", params)), 2)
	// Places refer to the text that was judged.
	c.change(uriA, 2, "\n"+text)
	assert.JSONEq(t, "[]", string(c.call("textDocument/codeAction", params)))

	c, _ = begin(t, nil, "{}")
	c.open(uriA, text)
	c.tick()
	c.published()
	actions = decode[[]codeAction](t, c.call("textDocument/codeAction", params))
	require.Len(t, actions, 2)
	assert.Equal(t, map[string][]textEdit{uriA: {{textRange{position{3, 10}, position{3, 11}}, "8"}}}, actions[0].Edit.Changes)
}
