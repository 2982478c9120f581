# trusted reports whether root alone may change files and folders: each is root's, and neither its group nor others may write to it. The
# mode of a symbolic link says that others may. A file with an access list shows the mask of the list in place of its group's rights.
trusted() { # PATH...: the first is there; of the others those that are
	attrs=$(stat -c %u:%a "$@" 2>/dev/null)
	if [ -z "$attrs" ]; then return 1; fi
	for attr in $attrs; do
		case $attr in
		0:*[2367] | 0:*[2367]?) return 1 ;;
		0:*) ;;
		*) return 1 ;;
		esac
	done
}
