"""Traditional and simplified Chinese characters, as far as a search in the map needs them.

Whether two characters are the same word in the two scripts follows from no rule and from nothing in the standard library:
a character set tells only that 顯 is traditional and 显 simplified, so 顯存 would find 缓存 and 内存 as well. The pairs are
therefore written out: those of the field's words and of everyday Chinese. What is not listed is only equal to itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

_TRADITIONAL = (
    "顯訓練並優權數據張線專參計機環歸約廣層內網絡帶寬遲學習隨陣緩長隱維頭詞負載調氣階積異複製餘縮論後個從"
    "無與為對時過傳輸總單雙體價萬號準確範圍佈術雲於幾裡裏係關衝臺檯盡捲鬆隻儘幹乾穀鬥醜闆錶誤檢點開銷頸節"
    "顆塊殘軟聯鏈選擇擴壓採樣別沒麼這們夠啟鍵値廳葉禮嚮願歷曆發髮麵獲穫簽鐘鍾彙匯須鬚徵築鬱註週託闢纖蘇罈"
    "壇團糰繫舊適勝寧遞蠟臘極樸種礎響瞭曬嚴併傑僅兩幫則劃動務區協卻壞夾獎實導將屬幣庫應強彈憶懷戰戲擬擊擔"
    "斷會東條構標樹橋檔歡歲決況測滿漸潛濾瀏覽災燈爾狀獨現產畫當疊療監盤眾礙穩窮競筆簡糧糾級納純紙細終結給"
    "統經綠緊編縱繪繼續義聲職聽腦膚舉艦藝處虛虧補裝見規視覺觀觸訂許設證評試話該語說課請譯議護讀變讓貝財貨"
    "費資質賴購贏軌軸較輕輪轉辦農連進運達違遠還邊邏輯鄰醫釋鎖鏡鐵門閃閉間閱陸陽際險隊難電靜頁頂項順預領頻"
    "題額顧風飛飽馬驅驗魚鳥麥黃齊齒龍記籤換撥圖緒組絕綜締緣縫織繞纏績訊訪診詳誌認誰談諧諸謂謝識譜譽貢責販"
    "貫貴買貸賃賓賞賣賦贈車輔輛輩轄遷遺鄉釘針鈕銀銅鋼錄錯鍊鑄鑒閒閾闊陳隸雜離霧韻頓頗顏顛類飄飯養駐駕騎騙"
    "騰驚髒鬧鮮鹽黨來倉倫偉側偵備債傷傾僞偽億儀償儲兒冊凍剛創劇劑劉勁勢勞勵勻嘆嘗噴員問喪喬國園圓場墊墜墮"
    "墳執報塵壘壯壽奪奮婦媽孫宮寫寶尋尷屆島崗嶄嶺師帳廠廢彌彎徑復恆悅惡惱愛態慣慮慶憂憑懲懶戀戶拋挾捨掃掛"
    "揀揚損搖搶摻撐撿擋擠擱擲攔攜攝攤敗敵斂昇晉暫書棄棟業榮槍樓橫櫃殺殼毀汙沖溝滅滯滲滾潤澤濃濕濟灑灣烏煉"
    "煩熱營爐爭爺牆犧猶獻瑣甕畢疇盜盧睏矯碼磚禍禦稅稱穎窩竄篩籌籃粵糞"
)
_SIMPLIFIED = (
    "显训练并优权数据张线专参计机环归约广层内网络带宽迟学习随阵缓长隐维头词负载调气阶积异复制余缩论后个从"
    "无与为对时过传输总单双体价万号准确范围布术云于几里里系关冲台台尽卷松只尽干干谷斗丑板表误检点开销颈节"
    "颗块残软联链选择扩压采样别没么这们够启键值厅叶礼向愿历历发发面获获签钟钟汇汇须须征筑郁注周托辟纤苏坛"
    "坛团团系旧适胜宁递蜡腊极朴种础响了晒严并杰仅两帮则划动务区协却坏夹奖实导将属币库应强弹忆怀战戏拟击担"
    "断会东条构标树桥档欢岁决况测满渐潜滤浏览灾灯尔状独现产画当叠疗监盘众碍稳穷竞笔简粮纠级纳纯纸细终结给"
    "统经绿紧编纵绘继续义声职听脑肤举舰艺处虚亏补装见规视觉观触订许设证评试话该语说课请译议护读变让贝财货"
    "费资质赖购赢轨轴较轻轮转办农连进运达违远还边逻辑邻医释锁镜铁门闪闭间阅陆阳际险队难电静页顶项顺预领频"
    "题额顾风飞饱马驱验鱼鸟麦黄齐齿龙记签换拨图绪组绝综缔缘缝织绕缠绩讯访诊详志认谁谈谐诸谓谢识谱誉贡责贩"
    "贯贵买贷赁宾赏卖赋赠车辅辆辈辖迁遗乡钉针钮银铜钢录错炼铸鉴闲阈阔陈隶杂离雾韵顿颇颜颠类飘饭养驻驾骑骗"
    "腾惊脏闹鲜盐党来仓伦伟侧侦备债伤倾伪伪亿仪偿储儿册冻刚创剧剂刘劲势劳励匀叹尝喷员问丧乔国园圆场垫坠堕"
    "坟执报尘垒壮寿夺奋妇妈孙宫写宝寻尴届岛岗崭岭师帐厂废弥弯径复恒悦恶恼爱态惯虑庆忧凭惩懒恋户抛挟舍扫挂"
    "拣扬损摇抢掺撑捡挡挤搁掷拦携摄摊败敌敛升晋暂书弃栋业荣枪楼横柜杀壳毁污冲沟灭滞渗滚润泽浓湿济洒湾乌炼"
    "烦热营炉争爷墙牺犹献琐瓮毕畴盗卢困矫码砖祸御税称颖窝窜筛筹篮粤粪"
)

_SIMPLE = dict(zip(_TRADITIONAL, _SIMPLIFIED, strict=True))
_VARIANTS: dict[str, str] = {}
for _traditional, _simplified in _SIMPLE.items():
    _VARIANTS[_simplified] = _VARIANTS.get(_simplified, _simplified) + _traditional


@lru_cache(maxsize=64)
def finder(word: str) -> Callable[[str], bool]:
    """Tells whether a text has `word`, written in either script. Only the word is prepared, so texts cost nothing more."""
    parts = [_VARIANTS.get(_SIMPLE.get(character, character), "") for character in word]
    if not any(parts):
        return lambda text: word in text
    pattern = "".join(
        f"[{part}]" if part else re.escape(character) for part, character in zip(parts, word, strict=True)
    )
    search = re.compile(pattern).search
    return lambda text: search(text) is not None
