package tools

import (
	"encoding/json"
	"slices"
	"strings"
)

// capture reads the text of a terminal: command lines and their output.
func (r *reader) capture(text string) {
	if words := r.h.box.fileCommand(r.path); words != nil {
		r.text = strings.Join(words, " ")
		r.enter(r.h.box.of(words[0]))
		r.tool.command(r.tool, r, words[1:])
	}
	broken := 0
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text) - at
		}
		line := strings.TrimSuffix(text[at:at+end], "\r")
		r.line++
		if broken < mostBroken && isDocument(strings.TrimLeft(line, " \t")) {
			if n, ok := r.document(text[at:]); ok {
				r.line += strings.Count(text[at:at+n], "\n")
				at += n
				continue
			}
			broken++
		}
		at += end + 1
		r.text = line
		r.captured(line)
	}
}

// captured reads one line of a terminal.
func (r *reader) captured(line string) {
	if len(line) > mostLine {
		r.text = line[:80]
		r.miss(r.text, tooMuch)
		return
	}
	if strings.TrimSpace(line) == "" {
		return
	}
	if typed := r.h.box.commandLine(line); typed.words != nil {
		r.leave()
		words := typed.words
		tool := r.h.box.of(words[0])
		switch all := typed.commands(); {
		case tool != nil && !replaces(words) && !several(all):
			replaceTyped(r, line, &typed, tool)
			refuseOthers(r, all[1:])
			r.enter(tool)
			tool.command(tool, r, words[1:])
		case r.plain(words) && !several(all) && all[0].writes == "":
			replaceTyped(r, line, &typed, nil)
			r.enter(nil)
			r.heading = shell
		case tool != nil || several(all) || all[0].writes != "" || slices.Contains([]string{"sh", "bash"}, baseOf(words[0])):
			refuseOthers(r, all)
			r.typed(typed.text, tool, words)
		case typed.prompt:
			replaceTyped(r, line, &typed, nil)
			r.enter(nil)
			r.miss(line, noTool)
		}
		return
	}
	if isSeparator(line) {
		r.h.coverage.Leave(heading)
		return
	}
	if strings.Contains(line, "command not found") {
		replaceLine(r, "x: command not found")
		r.h.coverage.Leave(absent)
		return
	}
	if r.tool != nil && r.tool.row(r, line) {
		return
	}
	for _, tool := range r.h.box.all {
		if tool.begins != nil && tool.begins(line) {
			if tool != r.tool {
				on := r.on
				r.leave()
				if r.enter(tool); len(r.on) == 0 && !r.stored {
					r.on = on // the outputs of one NIC follow
				}
			}
			if tool.row(r, line) {
				return
			}
		}
	}
	if r.tool == nil && r.heading == shell {
		replaceLine(r, "x")
		r.h.coverage.Leave(shell)
		return
	}
	if marked := strings.Trim(line, "=-*# "); len(line)-len(marked) > 5 && strings.HasSuffix(line, line[:3]) { // === a title ===
		replaceLine(r, "=== x ===")
		r.leave()
		r.h.coverage.Leave(heading)
		return
	}
	replaceLine(r, "x")
	r.miss(line, noTool)
}

// enter begins the output of a tool.
func (r *reader) enter(tool *Printout) {
	r.tool, r.section, r.weak = tool, section{class: -1}, 0
	if tool != nil {
		r.weak = tool.weak
	}
	if name := r.byFile(); name != "" {
		r.on = []*card{r.h.card(name)}
	}
}

// leave ends the output of a tool.
func (r *reader) leave() {
	r.closeLink()
	r.tool, r.section, r.weak = nil, section{class: -1}, 0
}

// about sets the interface of the output.
func (r *reader) about(netdev string) {
	if isName(netdev) {
		r.on = []*card{r.h.card(netdev)}
		return
	}
	r.on = nil
	if r.uncertain { // any known interface
		for _, n := range r.h.nics {
			r.on = append(r.on, n)
		}
	}
}

// aboutDevice sets the RDMA device of the output.
func (r *reader) aboutDevice(device string) {
	r.device = device
	if r.uncertain && strings.Contains(device, "$") {
		r.about(device)
		return
	}
	if r.on = nil; r.h.netdev(device) != "" {
		r.about(r.h.netdevs[device])
	}
}

// byFile returns the interface in the name of the file, or the only interface of the host.
func (r *reader) byFile() string {
	found := ""
	for _, port := range r.h.id.Ports {
		if containsWord(r.path, port) {
			if found != "" && found != port {
				return ""
			}
			found = port
		}
	}
	if found == "" && len(r.h.id.Ports) == 1 {
		found = r.h.id.Ports[0]
	}
	if !isName(found) {
		return ""
	}
	return found
}

func containsWord(text, word string) bool {
	alnum := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] >= '0' && text[i] <= '9' || text[i]|32 >= 'a' && text[i]|32 <= 'z')
	}
	for from := 0; word != ""; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		if !alnum(i-1) && !alnum(i+len(word)) {
			return true
		}
		from = i + 1
	}
	return false
}

// fileCommand returns the command line in the name of a file, as sosreport names files: "ethtool_-a_eth0", "mlnx_qos_-i_eth0".
func (t *toolbox) fileCommand(path string) []string {
	base := path[strings.LastIndexByte(path, '/')+1:]
	if words := splitWords(base); len(words) > 1 && t.of(words[0]) != nil {
		return words
	}
	for name := range t.byName {
		if rest, ok := strings.CutPrefix(base, name+"_"); ok {
			rest = strings.TrimSuffix(strings.TrimSuffix(rest, ".txt"), ".log")
			if words := strings.FieldsFunc(rest, func(c rune) bool { return c == '_' || c == ' ' }); len(words) > 0 {
				return append([]string{name}, words...)
			}
		}
	}
	return nil
}

// isDocument reports whether a line may begin a document of JSON: it begins with a bracket, and is not a prompt such as "[root@host ~]# ".
func isDocument(line string) bool {
	if line == "" || line[0] != '[' && line[0] != '{' {
		return false
	}
	end := strings.IndexByte(line, ']')
	return line[0] == '{' || end < 0 || end+1 >= len(line) || line[end+1] != '#' && line[end+1] != '$'
}

// typedLine is a command line on a terminal: after a prompt, between marks such as "==== cmd ====", or alone.
type typedLine struct {
	words  []string  // the words of the first command, without sudo; nil: the line has no command
	prompt bool      // it is a command line with any first word
	text   string    // without the prompt, or without marks around it
	all    []command // the commands in text, if they were read
}

// commands returns the commands in the line.
func (l *typedLine) commands() []command {
	if l.prompt {
		return l.all
	}
	return splitLine(l.text).commands
}

// commandLine reads a line of a terminal.
func (t *toolbox) commandLine(line string) typedLine {
	text := strings.TrimSpace(line)
	rest, all, prompt := t.afterPrompt(text)
	if !prompt {
		all = nil
		trimmed := strings.TrimLeft(text, "=-*+#> ")
		if rest = text; trimmed != text && !strings.HasPrefix(text, "--") || strings.HasPrefix(text, "---") {
			rest = strings.TrimRight(trimmed, "=-*+#<: ")
		}
		rest = strings.TrimSuffix(rest, ":")
	}
	first := rest
	if i := strings.IndexAny(rest, " \t"); i >= 0 {
		first = rest[:i]
	}
	shells := first == "sudo" || first == "echo" && strings.Contains(rest, "> /sys/") || first == "for" && strings.Contains(rest, "; do ")
	if !prompt && !shells && t.of(first) == nil {
		return typedLine{}
	}
	if all == nil {
		all = splitLine(rest).commands
	}
	words := stripSudo(firstOf(all))
	if len(words) == 0 || !prompt && !shells && t.of(words[0]) == nil {
		return typedLine{}
	}
	if prompt {
		return typedLine{words: words, prompt: true, text: rest, all: all}
	}
	if len(words) == 1 && !t.of(words[0]).alone { // the word is part of an output
		return typedLine{}
	}
	return typedLine{words: words, text: strings.TrimRight(strings.TrimLeft(text, "=-*+#> "), "=-*+#<: ")}
}

// typed reads a line as a script does, if it has several commands or the shell changes its text. The following output is of the first
// tool.
func (r *reader) typed(line string, tool *Printout, words []string) {
	s := &shellReader{reader: r}
	s.run(line)
	r.enter(tool)
	if tool == nil {
		r.heading = shell
		return
	}
	if !replaces(words) {
		r.quiet = true // it was counted
		tool.command(tool, r, words[1:])
		r.quiet = false
	}
}

// several reports whether a line has several commands, apart from those that read the output of the first.
func several(all []command) bool {
	return len(all) == 0 || slices.ContainsFunc(all[1:], func(c command) bool { return c.after != "|" })
}

// replaces reports whether the shell replaces a part of a word, other than a pattern of file names.
func replaces(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "$") })
}

// afterPrompt returns the text after a prompt: "$ ", "# ", "root@host:~# ", "[root@host ~]# ". A "#" alone is a prompt if a known command
// follows; all are its commands, nil: they were not needed.
func (t *toolbox) afterPrompt(text string) (rest string, all []command, ok bool) {
	if shell, ok := afterPowerShell(text); ok {
		return shell, nil, shell != ""
	}
	at, after, ok := strings.Cut(text, "] ")
	if ok && strings.HasPrefix(at, "[") && strings.Contains(at, "@") && !strings.ContainsAny(at, " {;=\"") { // of ESXi
		return strings.TrimSpace(after), nil, true
	}
	i := strings.IndexAny(text[:min(len(text), promptBytes)], "#$>%")
	if i < 0 || i+1 >= len(text) || text[i+1] != ' ' {
		return "", nil, false
	}
	before := text[:i]
	rest = strings.TrimSpace(text[i+1:])
	switch {
	case before == "" && text[0] == '$':
		return rest, nil, rest != ""
	case before == "":
		all = splitLine(rest).commands
		words := stripSudo(firstOf(all))
		return rest, all, len(words) > 0 && t.of(words[0]) != nil
	case strings.ContainsAny(before, "@~]") && !strings.ContainsAny(before, "<{;=") && strings.Count(before, " ") < 4:
		return rest, nil, rest != ""
	}
	return "", nil, false
}

// promptBytes is the length of the longest prompt, in bytes.
const promptBytes = 81

// isSeparator reports whether a line has neither letters nor digits.
func isSeparator(line string) bool {
	return !strings.ContainsFunc(line, func(c rune) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c > 0x7f || c == '{' || c == '}' || c == '[' || c == ']'
	})
}

// firstCommand returns the words of the first command in a line that is not an assignment.
func firstCommand(text string) []string { return firstOf(splitLine(text).commands) }

func firstOf(all []command) []string {
	for _, c := range all {
		if len(c.words) > 0 {
			return c.words
		}
	}
	return nil
}

// document reads a document of JSON at the beginning of a text, and returns its length. Not ok: the text does not begin with a document.
func (r *reader) document(text string) (n int, ok bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return 0, false
	}
	n = int(d.InputOffset())
	var objects []map[string]any
	switch v := value.(type) {
	case map[string]any:
		objects = append(objects, v)
	case []any:
		for _, o := range v {
			m, is := o.(map[string]any)
			if !is {
				return 0, false
			}
			objects = append(objects, m)
		}
	}
	r.text = text[:min(n, 100)]
	if i := strings.IndexByte(r.text, '\n'); i >= 0 {
		r.text = r.text[:i]
	}
	for _, o := range objects {
		if !r.object(o) {
			replaceDocument(r, text[:n])
		}
	}
	return n, true
}

// object reads an object of JSON for the tool of the command line, or for the tool that prints such members. It returns false if no tool
// does.
func (r *reader) object(o map[string]any) bool {
	if r.tool != nil && r.tool.json != nil && r.tool.json(r.tool, r, o) {
		return true
	}
	for _, tool := range r.h.box.all {
		if tool.json != nil && tool != r.tool && tool.json(tool, r, o) {
			return true
		}
	}
	if len(o) > 0 {
		r.miss(r.text, noTool)
	}
	return len(o) == 0
}

// replaceLine records the replacement of the present line.
func replaceLine(r *reader, with string) {
	if r.h.keep != nil && !r.stored {
		r.h.keep.lines[r.line] = with
	}
}

// replaceTyped records the replacement of a command line. A command that is not a known tool keeps its first word.
func replaceTyped(r *reader, line string, typed *typedLine, tool *Printout) {
	switch {
	case r.h.keep == nil || r.stored:
	case tool == nil && r.plain(typed.words):
		replaceLine(r, plainPrompt+typed.words[0])
	case tool == nil:
		replaceLine(r, plainPrompt+"x")
	case typed.prompt && strings.Contains(line, "@") && strings.HasSuffix(strings.TrimSpace(line), typed.text):
		replaceLine(r, plainPrompt+typed.text)
	}
}

// refuseOthers refuses to keep a line of several commands if one of them is not a known tool.
func refuseOthers(r *reader, all []command) {
	if r.h.keep == nil || r.stored {
		return
	}
	for _, c := range all {
		if words := stripSudo(c.words); len(words) > 0 && r.h.box.of(words[0]) == nil {
			r.h.keep.several = true
		}
	}
}

// replaceDocument records the replacement of a document that no tool prints, from the present line on.
func replaceDocument(r *reader, text string) {
	for i := range strings.Count(text, "\n") + 1 {
		if r.h.keep == nil || r.stored {
			return
		}
		r.h.keep.lines[r.line+i] = map[bool]string{true: `{"x": 0}`}[i == 0]
	}
}
