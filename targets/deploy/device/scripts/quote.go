package scripts

import "strings"

// Quote makes s one word of a POSIX shell. s may contain any byte except NUL, which is impossible in an argument.
func Quote(s string) string {
	if strings.ContainsRune(s, 0) {
		panic("scripts: NUL in an argument of a command")
	}
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// plain contains the characters that no shell treats specially, at any position in a word.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,@%-"
