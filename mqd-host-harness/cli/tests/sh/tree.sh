#!/bin/sh
# tree.sh PROGRAM DIRECTORY VARIABLE - a launcher without a table: it starts three ranks of PROGRAM, whose rank is in VARIABLE, and a helper. It says
# "ready" and stays until its standard input ends, and so do the ranks. Each rank's process id is in DIRECTORY/pid.RANK.
program=$1 directory=$2 variable=$3
exec 3<&0
rm -f "$directory"/fifo "$directory"/prted
mkfifo "$directory"/fifo
ln -s "$(command -v cat)" "$directory"/prted
export program directory

# Not in order. Rank 0 is under a shell; rank 2 leaves a process with its environment beside it.
env "$variable=2" sh -c 'cat <&3 & echo $$ >"$directory"/pid.2; exec "$program" <&3 3<&-' >"$directory"/fifo &
env "$variable=0" sh -c 'sh -c "echo \$\$ >$directory/pid.0; exec $program" <&3; true' >"$directory"/fifo &
env "$variable=1" sh -c 'echo $$ >"$directory"/pid.1; exec "$program" <&3' >"$directory"/fifo &
env "$variable=3" "$directory"/prted <&3 >/dev/null &

exec 4<"$directory"/fifo
for rank in 0 1 2; do
  read -r line <&4
done
echo ready
wait
