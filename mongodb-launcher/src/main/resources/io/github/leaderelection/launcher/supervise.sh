# Runs a server for as long as it has users, and then removes its directory.
# A user holds the pipe open. If a user is killed, the kernel closes it.
# Arguments: the pipe, the server's own directory, the server's command.
users=$1
own=$2
shift 2

# If the launcher ends before it has registered this process, start nothing.
if ! read -r go; then
	rm -rf "$own"
	exit 1
fi

# Open it for reading and writing first, which never waits for a writer.
exec 8<>"$users"
exec 7<"$users" 8>&- 9>&- </dev/null

"$@" 7<&- &
server=$!
trap '' INT HUP TERM
echo "$server" >"$own/pid"

# A user that finds its word in this file knows that its hold on the pipe counts.
while read -r word <&7; do
	echo "$word" >>"$own/seen"
done

kill -9 "$server" 2>/dev/null
wait "$server"
rm -rf "$own"
