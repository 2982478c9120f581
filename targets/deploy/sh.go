package deploy

import "strings"

// quote makes s one word of a POSIX shell, whatever bytes it holds except NUL, which no argument can carry.
func quote(s string) string {
	if strings.ContainsRune(s, 0) {
		panic("deploy: NUL in an argument of a device command")
	}
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// plain are the characters that mean nothing to any shell, wherever they stand in a word.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,@%-"

// asRoot runs a script with arguments as root: directly for a root login, through sudo for another one. The login
// shell sees two plain words and quoted text only, so it need not be a POSIX shell itself.
func asRoot(script string, args ...string) string {
	words := []string{"sh", "-c", quote(becomeRoot), "rocec", quote(script), "rocec"}
	for _, a := range args {
		words = append(words, quote(a))
	}
	return strings.Join(words, " ")
}

const becomeRoot = `if [ "$(id -u)" = 0 ]; then exec sh -c "$@"; fi; exec sudo -n sh -c "$@"`
