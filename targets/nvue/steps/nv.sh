# What the steps and queries below share. NVUE has no lock and no transaction that outlives a session, so each of them looks at what is
# applied before it does anything.
fail() {
	printf '%s\n' "$*" >&2
	exit 1
}

# try COMMAND...: runs nv and keeps what it said in out. Status 0 is no proof, so words count, too (the vendor's own Ansible module looks
# for them).
try() {
	out=$("$@" 2>&1) || fail "$*: $out"
	complains "$*" "$out"
}

complains() { # COMMAND TEXT
	case $2 in *[Ee]rror* | *ERROR* | *Invalid* | *'Failed on line'*) fail "$1: $2" ;; esac
}

# tree REVISION: its tree as NVUE prints it, without what has nothing to do with classes: logins, keys and addresses stay on the switch.
# Kept are qos; of interfaces qos, bond, link, type and adaptive routing; of system what apply is told. A mapping that is looked into has
# to stand in lines of its own: one in braces on the line of its key is not read, so that nothing of it leaves the switch.
tree() {
	{ nv config show -r "$1" -o yaml 2>/dev/null && printf '\n%s\n' '- end'; } | head -c 8388608 | {
		in='' end='' a='' b='' c='' i1='' i2='' i3='' keep=''
		while IFS= read -r line; do
			text=${line#"${line%%[! ]*}"}
			n=$((${#line} - ${#text}))
			case $line in
			'- end') end=yes && continue ;; # without it nv has failed, or has said more than is read
			'- set:' | '- set: {}') in='set' a='' i1='' && printf '%s\n' "$line" && continue ;;
			'- set:'*) exit 1 ;;
			'- '*) in=${in:+over} && continue ;;
			esac
			if [ "$in" != set ] || [ -z "$text" ]; then continue; fi
			key=${text%%:*}
			key=${key#[\"\']}
			key=${key%[\"\']}
			if [ -z "$i1" ] || [ "$n" -le "$i1" ]; then
				i1=$n i2='' i3='' a=$key b='' c=''
			elif [ -z "$i2" ] || [ "$n" -le "$i2" ]; then
				i2=$n i3='' b=$key c=''
			elif [ -z "$i3" ] || [ "$n" -le "$i3" ]; then
				i3=$n c=$key
			elif [ "$a//$c" = interface//router ] && [ "$n" -le "${i4:=$n}" ]; then
				c=router/$key
			elif [ "$a/${c%%/*}" = interface/router ] && [ "$n" -le "$i4" ]; then
				c=router/$key
			else
				if [ -n "$keep" ]; then printf '%s\n' "$line"; fi
				continue
			fi
			if [ "${c%%/*}" != router ]; then i4=''; fi
			keep=''
			case $a/$b/$c in
			interface// | interface/*/ | router// | system// | system/config/ | interface/*/router)
				case ${text#*:} in
				'' | ' {}') keep=yes ;;
				*) exit 1 ;;
				esac
				;;
			qos/* | router/adaptive-routing/* | system/config/apply) keep=yes ;;
			interface/*/qos | interface/*/bond | interface/*/link | interface/*/type) keep=yes ;;
			interface/*/router/adaptive-routing) keep=yes ;;
			esac
			if [ -n "$keep" ]; then printf '%s\n' "$line"; fi
		done
		[ -n "$in" ] && [ -n "$end" ]
	}
}

# revisions prints a line "NUMBER STATE MESSAGE" for each. It reads JSON by its quotes, a line for what stands between two of them: there text
# and what is none take turns, and a backslash before a quote makes it one of the text. A switch keeps a hundred revisions, so that each
# byte is looked at once: shells take whole minutes to cut a long text in pieces by patterns.
revisions() {
	json=$(nv config revision -o json 2>/dev/null) || return 1
	printf %s "$json" | tr -d ' \t\r\n' | tr '"' '\n' | {
		depth=0 inside='' text='' key='' id='' state='' message=''
		while IFS= read -r word || [ -n "$word" ]; do
			if [ -n "$inside" ]; then
				text=$text$word
				case $word in
				*\\)
					slashes=${word##*[!\\]}
					while [ "${#slashes}" -gt 1 ]; do slashes=${slashes#??}; done
					if [ -n "$slashes" ]; then text=${text%?}_ && continue; fi
					;;
				esac
				inside=''
				continue
			fi
			inside=yes
			case $word in
			:*)
				key=$text
				if [ "$depth" = 1 ]; then id=$text state='' message=''; fi
				;;
			*)
				if [ "$depth$key" = 2state ]; then state=$text; fi
				if [ "$depth$key" = 2message ]; then message=$text; fi
				;;
			esac
			text=''
			while [ -n "$word" ]; do
				case $word in
				'{'* | '['*) depth=$((depth + 1)) key='' ;;
				'}'* | ']'*)
					depth=$((depth - 1)) key=''
					case $depth$id in 1 | 1*[!0-9]*) ;; 1*) printf '%s %s %s\n' "$id" "${state:--}" "${message:--}" ;; esac
					;;
				esac
				word=${word#?}
			done
		done
	}
}

# applied sets now to the number of the applied revision, state to its state and message to what was said of it. The startup's may be called
# saved, so that counts only where no other is applied.
applied() {
	now='' state='' message='' saved=''
	while read -r id is said; do
		case $is in
		applied | applied_and_saved | confirm)
			if [ -n "$now" ]; then
				now=''
				return 1
			fi
			now=$id state=$is message=$said
			;;
		saved) saved="$id $is $said" ;;
		esac
	done <<END
$(revisions)
END
	if [ -z "$now" ]; then
		read -r now state message <<END
$saved
END
	fi
	[ -n "$now" ]
}

startup=/etc/nvue.d/startup.yaml
